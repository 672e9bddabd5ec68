import { type Door, Refusal } from "./door.ts";

/** What a team with nothing but curl has to know; the guide lists all of them. */
const ROUTES: Record<string, `${"GET" | "POST"} /${string}`> = {
  create_session: "POST /sessions",
  join_session: "POST /sessions/{session_id}/join",
  resume_session: "POST /sessions/{session_id}/resume",
  leave_session: "POST /sessions/{session_id}/leave",
  conclude_session: "POST /sessions/{session_id}/conclude",
  update_session_metadata: "POST /sessions/{session_id}/metadata",
  post_message: "POST /sessions/{session_id}/messages",
  wait_for_messages: "GET /sessions/{session_id}/messages/wait",
  wait_for_reply: "GET /sessions/{session_id}/messages/{message_id}/replies",
  ack_messages: "POST /sessions/{session_id}/ack",
  read_session_doc: "GET /sessions/{session_id}/doc",
  update_session_doc: "POST /sessions/{session_id}/doc",
  append_to_session_doc: "POST /sessions/{session_id}/doc/append",
  claim_task: "POST /sessions/{session_id}/tasks/claim",
  update_task: "POST /sessions/{session_id}/tasks/{task}",
};

/** A team that speaks REST: the verbs are routes, and the secret travels as a header. */
export function restTeam(url: string, door: Record<string, string>): Door {
  return {
    name: "REST",
    async call(verb, args, { teamId, signal }) {
      const { method, path, body, query } = toRequest(verb, args);
      const headers = { ...door, ...(teamId && { "x-team-id": teamId }) };
      const response = await fetch(`${url}/api${path}${query}`, { method, headers, body, signal });
      const answer = await response.json();
      if (!response.ok) throw new Refusal(answer as ConstructorParameters<typeof Refusal>[0]);
      return answer;
    },
    close: async () => undefined,
  };
}

function toRequest(verb: string, args: Record<string, unknown>) {
  const [method = "", template = ""] = ROUTES[verb]?.split(" ") ?? [];
  const rest = { ...args };
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = encodeURIComponent(String(rest[name]));
    delete rest[name];
    return value;
  });
  return method === "GET"
    ? { method, path, query: `?${new URLSearchParams(rest as Record<string, string>)}`, body: null }
    : { method, path, query: "", body: JSON.stringify(rest) };
}
