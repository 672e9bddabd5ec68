import { ChevronDown } from "lucide-react";
import { Button } from "@/components/ui/button";
import {
  DropdownMenu,
  DropdownMenuCheckboxItem,
  DropdownMenuContent,
  DropdownMenuLabel,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from "@/components/ui/dropdown-menu";
import type { Participant } from "../queries.ts";
import { nameOf, nameOfTeam } from "../team-name.ts";
import { HUMANS } from "./mentions.ts";

interface AddresseesProps {
  teams: readonly Participant[];
  /** Who is meant: those chosen here, and those whom the text names. */
  to: string[];
  /** Those whom the text names stay as long as it does. */
  named: string[];
  onChange: (to: string[]) => void;
}

export function Addressees({ teams, to, named, onChange }: AddresseesProps) {
  const words = to.map((handle) => (handle === HUMANS ? "humans" : nameOf(handle, teams)));
  const shown = words.length > 2 ? `${words.slice(0, 2).join(", ")} +${words.length - 2}` : words.join(", ");
  const toggle = (handle: string) =>
    onChange(to.includes(handle) ? to.filter((other) => other !== handle) : [...to, handle]);
  return (
    <DropdownMenu modal={false}>
      <DropdownMenuTrigger asChild>
        <Button type="button" variant="ghost" size="sm" className="h-7 min-w-0 shrink px-2 text-xs font-normal">
          <span className="shrink-0 text-muted-foreground">To</span>
          <bdi className="min-w-0 truncate">{shown || "everyone"}</bdi>
          <ChevronDown aria-hidden className="size-3 text-muted-foreground" />
        </Button>
      </DropdownMenuTrigger>
      <DropdownMenuContent align="start" className="max-w-80">
        <DropdownMenuLabel className="text-xs font-normal text-muted-foreground">
          Everyone sees it; those you name are meant.
        </DropdownMenuLabel>
        <DropdownMenuSeparator />
        {teams.map((team) => (
          <DropdownMenuCheckboxItem
            key={team.handle}
            checked={to.includes(team.handle)}
            disabled={named.includes(team.handle)}
            onSelect={(event) => event.preventDefault()}
            onCheckedChange={() => toggle(team.handle)}
          >
            <bdi className="truncate">{nameOfTeam(team, teams)}</bdi>
          </DropdownMenuCheckboxItem>
        ))}
        <DropdownMenuCheckboxItem
          checked={to.includes(HUMANS)}
          disabled={named.includes(HUMANS)}
          onSelect={(event) => event.preventDefault()}
          onCheckedChange={() => toggle(HUMANS)}
        >
          Humans: any person
        </DropdownMenuCheckboxItem>
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
