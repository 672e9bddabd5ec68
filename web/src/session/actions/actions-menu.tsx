import { Bell, Download, EllipsisVertical, Plug } from "lucide-react";
import { Fragment } from "react";
import { Button } from "@/components/ui/button";
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from "@/components/ui/dropdown-menu";
import { useSession } from "../store/session-provider.tsx";
import { useActions } from "./actions-provider.tsx";
import { exportJson, exportMarkdown } from "./export.ts";

/** What belongs together stands together. */
const GROUPS = [
  ["pause", "unpause", "interrupt", "remove"],
  ["ask-to-conclude", "conclude"],
  ["rename", "describe", "invite", "visibility", "read-only", "intervention"],
];
const LAST = ["delete"];

/** Everything that can be done to the session, each confirmed in words. */
export function ActionsMenu({ onConnect, onNotify }: { onConnect: () => void; onNotify: (() => void) | undefined }) {
  const { id, ref } = useSession(({ head }) => head);
  const { offered, start } = useActions();
  const group = (ids: string[]) => {
    const actions = ids.flatMap((one) => offered.filter((action) => action.id === one));
    if (actions.length === 0) return null;
    return (
      <Fragment key={ids[0]}>
        {actions.map(({ id, label, icon: Icon, destructive }) => (
          <DropdownMenuItem key={id} variant={destructive ? "destructive" : "default"} onSelect={() => start(id)}>
            <Icon aria-hidden /> {label} …
          </DropdownMenuItem>
        ))}
        <DropdownMenuSeparator />
      </Fragment>
    );
  };
  return (
    <DropdownMenu modal={false}>
      <DropdownMenuTrigger asChild>
        <Button variant="ghost" size="icon-sm" aria-label="Actions">
          <EllipsisVertical aria-hidden />
        </Button>
      </DropdownMenuTrigger>
      <DropdownMenuContent align="end" className="min-w-56">
        {GROUPS.map(group)}
        <DropdownMenuItem className="sm:hidden" onSelect={onConnect}>
          <Plug aria-hidden /> Connect an agent
        </DropdownMenuItem>
        {onNotify ? (
          <DropdownMenuItem onSelect={onNotify}>
            <Bell aria-hidden /> Notifications …
          </DropdownMenuItem>
        ) : null}
        <DropdownMenuItem onSelect={() => exportMarkdown(id, ref)}>
          <Download aria-hidden /> Export as Markdown
        </DropdownMenuItem>
        <DropdownMenuItem onSelect={() => exportJson(id, ref)}>
          <Download aria-hidden /> Export as JSON
        </DropdownMenuItem>
        {offered.some((action) => LAST.includes(action.id)) ? <DropdownMenuSeparator /> : null}
        {offered
          .filter((action) => LAST.includes(action.id))
          .map(({ id, label, icon: Icon }) => (
            <DropdownMenuItem key={id} variant="destructive" onSelect={() => start(id)}>
              <Icon aria-hidden /> {label} …
            </DropdownMenuItem>
          ))}
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
