import { MessageCircleQuestion } from "lucide-react";
import { Button } from "@/components/ui/button";
import { jumpTo, sequenceInHash } from "../jump.ts";
import { useSession } from "../store/session-provider.tsx";

/** How many questions wait for an answer. It leads to the oldest, and from one to the next. */
export function OpenQuestions() {
  const open = useSession((session) => session.openQuestions);
  const concluded = useSession(({ head }) => head.status === "closed");
  const [oldest] = open;
  if (concluded || oldest === undefined) return null;
  const words = open.length === 1 ? "1 open question" : `${open.length} open questions`;
  const go = () => {
    const here = sequenceInHash() ?? 0;
    jumpTo((open.includes(here) && open.find((sequence) => sequence > here)) || oldest);
  };
  return (
    <Button
      variant="ghost"
      size="sm"
      className="h-8 shrink-0 gap-1 px-1.5 text-idle-foreground tabular-nums"
      title={words}
      onClick={go}
    >
      <MessageCircleQuestion aria-hidden />
      <span className="sr-only">{words}: go to the oldest</span>
      <span aria-hidden>{open.length}</span>
    </Button>
  );
}
