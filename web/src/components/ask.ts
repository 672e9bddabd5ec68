import { ask } from "@/lib/ask.ts";
import { call, type Refusal } from "@/lib/call.ts";
import { graphql, type ResultOf } from "@/lib/graphql.ts";

export const AskParts = graphql(`
  fragment AskParts on AskState @_unmask {
    options default expiresAt open answer answeredBy answeredAt expired
  }
`);

export type Ask = ResultOf<typeof AskParts>;

const AskQuery = graphql(
  `
    query Ask($id: UUID!, $sequence: Int!) {
      message(sessionId: $id, sequence: $sequence) { id ask { ...AskParts } }
    }
  `,
  [AskParts],
);

/** How it stands now. */
export async function readAsk(id: string, sequence: number): Promise<Ask | undefined> {
  const { data } = await ask(AskQuery, { id, sequence });
  return data?.message?.ask ?? undefined;
}

const AnswerAsk = graphql(`
  mutation AnswerAsk($id: String!, $message: MessageRef!, $option: String, $text: String) {
    answerAsk(input: { sessionId: $id, message: $message, option: $option, text: $text }) { result { cursor } }
  }
`);

const Reply = graphql(`
  mutation Reply($id: String!, $message: MessageRef!, $text: JSON!) {
    postMessage(input: { sessionId: $id, replyTo: $message, kind: "answer", content: $text }) { result { cursor } }
  }
`);

export type Answer = { option: string; text?: undefined } | { option?: undefined; text: string };

/** What was asked by ask_people is answered once; any other question by a reply. */
export async function answer(
  sessionId: string,
  sequence: number,
  once: boolean,
  given: Answer,
): Promise<Refusal | undefined> {
  const message = String(sequence);
  const { refusal } = once
    ? await call(AnswerAsk, { id: sessionId, message, option: given.option ?? null, text: given.text ?? null })
    : await call(Reply, { id: sessionId, message, text: given.text ?? given.option });
  return refusal;
}
