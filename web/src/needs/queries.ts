import { graphql, type ResultOf } from "@/lib/graphql.ts";

/** Something that waits for a person, with all that it takes to answer it. */
export const NeedParts = graphql(`
  fragment NeedParts on Need @_unmask {
    id kind sessionId ref title cursor handle teamName sender task text at ask options default expiresAt request choices
  }
`);

export type Need = ResultOf<typeof NeedParts>;

export const AnswerPermission = graphql(`
  mutation AnswerPermission($id: String!, $handle: String!, $request: String!, $option: String!) {
    answerPermission(input: { sessionId: $id, handle: $handle, request: $request, option: $option }) { result { option } }
  }
`);
