import { AskCard } from "@/components/ask-card.tsx";
import { HUMANS } from "../composer/mentions.ts";
import type { Message } from "../queries.ts";
import { useSession } from "../store/session-provider.tsx";

/** Under a question to people: its buttons, or how it was settled. Those among teams are theirs to answer. */
export function QuestionCard({ message, open }: { message: Message; open: boolean }) {
  const { sessionId, standing } = useSession(({ head }) => ({ sessionId: head.id, standing: head.you }));
  const { sequence, ask, addressedTo } = message;
  const toPeople = addressedTo?.some((handle) => handle === HUMANS || handle === standing.handle);
  if (!ask && !(open && toPeople)) return null;
  return (
    <AskCard sessionId={sessionId} sequence={sequence} ask={ask} open={open} mayAnswer={standing.mayWrite === true} />
  );
}
