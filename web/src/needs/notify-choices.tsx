import { useCallback, useEffect, useState } from "react";
import { Refused } from "@/components/refused.tsx";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import { Label } from "@/components/ui/label";
import type { Refusal } from "@/lib/call.ts";
import { NameInput, useIntroduction } from "@/people/introduction.tsx";
import { useMe } from "@/people/me.ts";
import { canPush, choose, readPush, startPush, stopPush } from "./push.ts";

const KINDS = {
  question: "A question to people",
  permission: "An agent asks for permission",
  blocker: "A team is stuck",
  stalled: "A team with work has fallen silent",
  idle: "Everybody waits",
};

/** Whoever has a name, or may say one, on a browser that can be notified. */
export const useMayBeNotified = (): boolean => {
  const me = useMe();
  return canPush && me !== undefined && (me.person !== null || me.sign_in.name);
};

type Push = Awaited<ReturnType<typeof readPush>>;

/** What is worth a notification, also on a locked phone: in all sessions, or otherwise in one. */
export function NotifyChoices({ session = null }: { session?: string | null }) {
  const introduction = useIntroduction();
  const person = useMe()?.person?.id;
  const [push, setPush] = useState<Push>();
  const [refusal, setRefusal] = useState<Refusal>();
  const read = useCallback(async () => setPush(await readPush(session)), [session]);
  useEffect(() => {
    if (person) void read();
  }, [person, read]);
  const after = async (done: Promise<Refusal | undefined>) => {
    setRefusal(await done.catch((error) => ({ message: String(error.message) })));
    await read();
  };
  if (introduction.needed) return <SayWho introduction={introduction} />;
  const chosen = (kinds: string[] | null) => after(choose(kinds, session).then(({ refusal }) => refusal));
  const choosing = (kind: string, wanted: boolean) => {
    const kinds = (push?.kinds ?? []).filter((known) => known !== kind);
    return chosen(wanted ? [...kinds, kind] : kinds);
  };
  return (
    <div className="flex flex-col gap-3 text-sm">
      <p className="text-muted-foreground">
        {session ? "In this session, tell me of:" : "Tell me, also when this page is closed, of:"}
      </p>
      {Object.entries(KINDS).map(([kind, words]) => (
        <Label key={kind} className="flex items-center gap-2 font-normal">
          <Checkbox
            disabled={!push}
            checked={push?.kinds.includes(kind) ?? false}
            onCheckedChange={(checked) => void choosing(kind, checked === true)}
          />
          {words}
        </Label>
      ))}
      {session ? (
        <div className="flex flex-wrap gap-2">
          <Button size="sm" variant="outline" disabled={push?.kinds.length === 0} onClick={() => void chosen([])}>
            Mute this session
          </Button>
          <Button size="sm" variant="ghost" onClick={() => void chosen(null)}>
            As in all sessions
          </Button>
        </div>
      ) : null}
      <Button
        size="sm"
        variant={push?.on ? "outline" : "default"}
        disabled={!push?.key}
        onClick={() => push?.key && void after(push.on ? stopPush() : startPush(push.key))}
      >
        {push?.on ? "Stop on this device" : "Start on this device"}
      </Button>
      <Refused refusal={refusal} />
      <p className="text-xs text-muted-foreground">
        {push && !push.key
          ? "This server sends none: no worker runs."
          : "A notification says only that something waits, and where."}
      </p>
    </div>
  );
}

function SayWho({ introduction }: { introduction: ReturnType<typeof useIntroduction> }) {
  const [refusal, setRefusal] = useState<Refusal>();
  const say = async () => setRefusal(await introduction.say());
  return (
    <div className="flex flex-col gap-3 text-sm">
      <p className="text-muted-foreground">Say who is to be notified, once.</p>
      <div className="flex gap-2">
        <NameInput introduction={introduction} autoFocus onEnter={() => void say()} className="h-8" />
        <Button size="sm" disabled={!introduction.name.trim()} onClick={() => void say()}>
          Continue
        </Button>
      </div>
      <Refused refusal={refusal} />
    </div>
  );
}
