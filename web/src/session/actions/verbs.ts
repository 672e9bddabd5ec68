import { graphql } from "@/lib/graphql.ts";

export const PauseSession = graphql(`
  mutation PauseSession($id: String!, $reason: String) {
    pauseSession(input: { sessionId: $id, reason: $reason }) { result { paused } }
  }
`);

export const UnpauseSession = graphql(`
  mutation UnpauseSession($id: String!) { unpauseSession(input: { sessionId: $id }) { result { paused } } }
`);

export const InterruptTeam = graphql(`
  mutation InterruptTeam($id: String!, $handle: String!, $reason: String!) {
    interruptTeam(input: { sessionId: $id, handle: $handle, reason: $reason }) { result { cursor } }
  }
`);

export const RemoveTeam = graphql(`
  mutation RemoveTeam($id: String!, $handle: String!, $reason: String) {
    removeTeam(input: { sessionId: $id, handle: $handle, reason: $reason }) { result { handle } }
  }
`);

export const AskTeams = graphql(`
  mutation AskTeams($id: String!, $text: JSON!) {
    postMessage(input: { sessionId: $id, kind: "question", content: $text }) { result { cursor } }
  }
`);

export const ConcludeSession = graphql(`
  mutation ConcludeSession($id: String!, $summary: String!, $evenSo: Boolean) {
    concludeSession(input: { sessionId: $id, summarySection: $summary, evenSo: $evenSo }) { result { closedAt } }
  }
`);

export const UpdateMetadata = graphql(`
  mutation UpdateMetadata($id: String!, $title: String, $description: String, $reason: String!) {
    updateSessionMetadata(input: { sessionId: $id, title: $title, description: $description, reason: $reason }) {
      result { updatedAt }
    }
  }
`);

export const UpdateAccess = graphql(`
  mutation UpdateAccess($id: String!, $visibility: String, $mode: String) {
    updateSessionAccess(input: { sessionId: $id, visibility: $visibility, mode: $mode }) { result { mode visibility } }
  }
`);

export const CreateInvite = graphql(`
  mutation CreateInvite($id: String!, $expiresIn: Duration, $uses: Int) {
    createInvite(input: { sessionId: $id, expiresIn: $expiresIn, uses: $uses }) { result { url expiresAt } }
  }
`);

export const DeleteSession = graphql(`
  mutation DeleteSession($id: String!) { deleteSession(input: { sessionId: $id }) { result { deletedAt } } }
`);
