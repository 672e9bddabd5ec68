import { graphql, type ResultOf } from "@/lib/graphql.ts";

const TaskParts = graphql(`
  fragment TaskParts on Task @_unmask {
    task title status priority dependsOn blockedBy paths proof outcome createdAt updatedAt version
    holder { id handle teamName } doer { id handle teamName }
  }
`);

export const TasksQuery = graphql(
  `
    query Tasks($id: UUID!, $since: Datetime, $after: Cursor) {
      session(id: $id) {
        heldPaths(first: 500) { nodes { path task note heldSince expiresAt participantId } }
        overlaps(first: 100) { nodes { path teams } }
        tasksSince(since: $since, first: 500, after: $after) {
          nodes { ...TaskParts }
          pageInfo { hasNextPage endCursor }
        }
      }
    }
  `,
  [TaskParts],
);
type WorkRead = NonNullable<ResultOf<typeof TasksQuery>["session"]>;
type TaskRead = ResultOf<typeof TaskParts>;
export type HeldPath = WorkRead["heldPaths"]["nodes"][number];
export type Overlap = WorkRead["overlaps"]["nodes"][number];

const numbers = (list: readonly (number | null)[]) => list.filter((n) => n !== null);
const texts = (list: readonly (string | null)[]) => list.filter((text) => text !== null);

export const taskOf = ({ dependsOn, blockedBy, paths, ...row }: TaskRead) => ({
  ...row,
  dependsOn: numbers(dependsOn),
  blockedBy: numbers(blockedBy),
  paths: texts(paths),
});
export type Task = ReturnType<typeof taskOf>;

/** What is only looked at when a task is opened. */
export const TaskQuery = graphql(`
  query Task($id: UUID!, $task: Int!) {
    task(sessionId: $id, task: $task) {
      version body result check evidence branch commit verifiedAt verifiedCommit claimExpiresAt createdAt carriedTask
      author { id handle teamName } verifier { id handle teamName }
    }
  }
`);
export type TaskWhole = NonNullable<ResultOf<typeof TaskQuery>["task"]>;

export const AddTasks = graphql(`
  mutation AddTasks($id: String!, $tasks: JSON!, $key: String) {
    addTasks(input: { sessionId: $id, tasks: $tasks, idempotencyKey: $key }) { clientMutationId }
  }
`);

export const ClaimTask = graphql(`
  mutation ClaimTask($id: String!, $task: Int!) {
    claimTask(input: { sessionId: $id, task: $task }) { clientMutationId }
  }
`);

export const UpdateTask = graphql(`
  mutation UpdateTask($id: String!, $task: Int!, $status: String, $result: String, $priority: Int) {
    updateTask(input: { sessionId: $id, task: $task, status: $status, result: $result, priority: $priority }) {
      clientMutationId
    }
  }
`);

export const VerifyTask = graphql(`
  mutation VerifyTask($id: String!, $task: Int!, $passed: Boolean!) {
    verifyTask(input: { sessionId: $id, task: $task, passed: $passed }) { clientMutationId }
  }
`);
