import { Bell, BellRing } from "lucide-react";
import { useCallback, useState } from "react";
import { toast } from "sonner";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import { Label } from "@/components/ui/label";
import { Popover, PopoverContent, PopoverTrigger } from "@/components/ui/popover";
import { useMe } from "@/people/me.ts";
import { canPush, choose, readPush, startPush, stopPush } from "./push.ts";

const KINDS = {
  question: "A question to people",
  permission: "An agent asks for permission",
  blocker: "A team is stuck",
  stalled: "A team with work has fallen silent",
  idle: "Everybody waits",
};

/** Notifications of what waits for a person, also on a locked phone: of all sessions, or otherwise of one. */
export function NotifyMenu({ session = null }: { session?: string | null }) {
  const isPerson = Boolean(useMe()?.person);
  const [push, setPush] = useState<Awaited<ReturnType<typeof readPush>>>();
  const read = useCallback(async () => setPush(await readPush(session)), [session]);
  if (!canPush || !isPerson) return null;

  const toggle = async () => {
    if (!push?.key) return;
    const refusal = push.on
      ? await stopPush()
      : await startPush(push.key).catch((error) => ({ message: String(error.message) }));
    if (refusal) toast.error(refusal.message);
    await read();
  };
  const choosing = async (kind: string, wanted: boolean) => {
    const kinds = (push?.kinds ?? []).filter((known) => known !== kind);
    const { refusal } = await choose(wanted ? [...kinds, kind] : kinds, session);
    if (refusal) toast.error(refusal.message);
    await read();
  };
  const Icon = push?.on ? BellRing : Bell;
  return (
    <Popover onOpenChange={(open) => open && void read()}>
      <PopoverTrigger asChild>
        <Button variant="outline" size="sm">
          <Icon aria-hidden /> <span className="sr-only sm:not-sr-only">Notify me</span>
        </Button>
      </PopoverTrigger>
      <PopoverContent
        align="end"
        aria-label="Notifications"
        className="flex w-72 max-w-[calc(100vw-2rem)] flex-col gap-3 p-3 text-sm"
      >
        <p className="text-muted-foreground">
          {session ? "In this session, tell me of:" : "Tell me, also when this page is closed, of:"}
        </p>
        {Object.entries(KINDS).map(([kind, words]) => (
          <Label key={kind} className="flex items-center gap-2 font-normal">
            <Checkbox
              checked={push?.kinds.includes(kind) ?? false}
              onCheckedChange={(checked) => void choosing(kind, checked === true)}
            />
            {words}
          </Label>
        ))}
        <Button size="sm" variant={push?.on ? "outline" : "default"} disabled={!push?.key} onClick={toggle}>
          {push?.on ? "Stop on this device" : "Start on this device"}
        </Button>
        <p className="text-xs text-muted-foreground">
          {push && !push.key
            ? "This server sends none: no worker runs."
            : "A notification says only that something waits, and where."}
        </p>
      </PopoverContent>
    </Popover>
  );
}
