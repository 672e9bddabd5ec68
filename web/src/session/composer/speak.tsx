import { CirclePause } from "lucide-react";
import { Button } from "@/components/ui/button";
import { useActions } from "../actions/actions-provider.tsx";
import { visible } from "../markdown/visible.ts";
import { useSession } from "../store/session-provider.tsx";
import { CannotWrite, Concluded } from "./cannot-write.tsx";
import { Composer } from "./composer.tsx";

/** The field to write in, or in words why there is none. */
export function Speak() {
  const head = useSession((session) => session.head);
  const { you } = head;
  if (head.status === "closed") return <Concluded sessionRef={head.ref} />;
  return (
    <>
      {head.pausedAt ? <Paused by={head.pausedBy} reason={head.pauseReason} /> : null}
      {you.mayWrite ? (
        <Composer handle={you.handle} />
      ) : (
        <CannotWrite why={you.refusal ?? "Sign in to write here."} hint={you.hint}>
          <Offer action="intervention" />
        </CannotWrite>
      )}
    </>
  );
}

function Paused({ by, reason }: { by: string | null; reason: string | null }) {
  return (
    <div role="status" className="flex shrink-0 items-center gap-2 border-t bg-highlight px-4 py-1.5 text-sm">
      <CirclePause aria-hidden className="size-4 shrink-0" />
      <p className="mr-auto min-w-0 break-words">
        Paused{by ? ` by ${visible(by)}` : ""}
        {reason ? `: “${visible(reason)}”` : ""}. The agents read and wait, and write nothing.
      </p>
      <Offer action="unpause" />
    </div>
  );
}

/** The way out, for who may take it. */
function Offer({ action: id }: { action: string }) {
  const { offered, start } = useActions();
  const action = offered.find((one) => one.id === id);
  if (!action) return null;
  return (
    <Button size="sm" variant="outline" className="h-7" onClick={() => start(id)}>
      {action.label}
    </Button>
  );
}
