import { graphql, type ResultOf } from "@/lib/graphql.ts";
import { NeedParts } from "@/needs/queries.ts";

const RunParts = graphql(`
  fragment RunParts on Run @_unmask {
    run agent runner repo status worktree prompt startedAt endedAt error turns tokens cost lastEvent
    team { id handle teamName leftAt }
    starter { handle teamName }
    permissions(first: 100) { nodes { request tool input options askedAt expiresAt answeredAt } }
  }
`);

export type Run = ResultOf<typeof RunParts>;
export type Permission = Run["permissions"]["nodes"][number];

/** Told apart from the agents, whose transcripts grow with every word: these come seldom, and are shown on every pane. */
export const SessionInbox = graphql(
  `
    subscription SessionInbox($id: String!) {
      sessionInbox(sessionId: $id) {
        session {
          needs { nodes { ...NeedParts } }
          askedPermissions(first: 20) {
            nodes { run request tool input options askedAt expiresAt answeredAt ofRun { team { id handle teamName } } }
          }
        }
      }
    }
  `,
  [NeedParts],
);

type AskedSession = NonNullable<NonNullable<ResultOf<typeof SessionInbox>["sessionInbox"]>["session"]>;
export type AskedPermission = AskedSession["askedPermissions"]["nodes"][number];

export const SessionAgents = graphql(
  `
    subscription SessionAgents($id: String!) {
      sessionAgents(sessionId: $id) { session { runs(last: 50) { nodes { ...RunParts } } } }
    }
  `,
  [RunParts],
);

export const TranscriptQuery = graphql(`
  query RunTranscript($id: UUID!, $run: Int!, $last: Int!) {
    run(sessionId: $id, run: $run) { events(last: $last) { nodes { event kind title at } } }
  }
`);

export type TranscriptEvent = NonNullable<ResultOf<typeof TranscriptQuery>["run"]>["events"]["nodes"][number];

export const EventQuery = graphql(`
  query RunEvent($id: UUID!, $run: Int!, $event: Int!) {
    runEvent(sessionId: $id, run: $run, event: $event) { text }
  }
`);

export const SpawnAgent = graphql(`
  mutation SpawnAgent($id: String!, $agent: String!, $prompt: String!, $runner: String, $worktree: JSON, $name: String) {
    spawnAgent(
      input: { sessionId: $id, agent: $agent, prompt: $prompt, runner: $runner, worktree: $worktree, teamName: $name }
    ) { result { handle } }
  }
`);

export const PromptAgent = graphql(`
  mutation PromptAgent($id: String!, $handle: String!, $prompt: String!) {
    promptAgent(input: { sessionId: $id, handle: $handle, prompt: $prompt, wait: 0 }) { result { turn } }
  }
`);

export const InterruptAgent = graphql(`
  mutation InterruptAgent($id: String!, $handle: String!) {
    interruptAgent(input: { sessionId: $id, handle: $handle }) { clientMutationId }
  }
`);

export const StopAgent = graphql(`
  mutation StopAgent($id: String!, $handle: String!) {
    stopAgent(input: { sessionId: $id, handle: $handle }) { clientMutationId }
  }
`);
