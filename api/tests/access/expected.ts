import type { Access } from "../../config.ts";
import type { Verb } from "../../verbs/catalogue.ts";
import type { Actor } from "./actors.ts";

/** ok, or the status and the code of the refusal. */
export type Outcome = "ok" | `${number} ${string}`;

const UNAUTHORIZED: Outcome = "401 unauthorized";
const FORBIDDEN: Outcome = "403 forbidden";

const PEOPLE: Actor[] = ["viewer", "member", "owner"];
const OF_THE_SESSION: Actor[] = ["convener", "team", "guest"];
/** What they have shown opens nothing, or nothing any more. */
const STRANGERS: Actor[] = ["nobody", "expired key", "revoked key", "removed team", "team whose key died"];
const BOUND: Actor[] = ["key of the session", "key of another session"];

/** Whose key, or whose role, has a scope. */
const SCOPES: Record<string, Actor[]> = {
  read: ["viewer", "member", "owner", "key read", ...BOUND],
  team: ["member", "owner", "key team", ...BOUND],
  run: ["member", "owner", "key run"],
  admin: ["owner", "key admin"],
};
const SOME_SCOPE = Object.values(SCOPES).flat();

/** A key that is bound elsewhere does not see the session; with open access it sees what everybody does. */
const unseated = (actor: Actor, access: Access): Outcome =>
  access === "keys" && actor === "key of another session" ? "404 session_not_found" : UNAUTHORIZED;

/** What may be read is read by the teams of the session and by people; what is written, not by viewers. */
const reading = (actor: Actor, access: Access) =>
  OF_THE_SESSION.includes(actor) || PEOPLE.includes(actor) ? "ok" : unseated(actor, access);
const writing = (actor: Actor, access: Access) => (actor === "viewer" ? FORBIDDEN : reading(actor, access));
/** Whoever waits, confirms or leaves has to have sat down before. */
const seated = (actor: Actor, access: Access) => (OF_THE_SESSION.includes(actor) ? "ok" : unseated(actor, access));
const leading = (actor: Actor, access: Access) =>
  actor === "team" || actor === "guest" ? "403 convener_only" : writing(actor, access);

/** On the server's own machine, where the tests are, open access lets everybody administer. */
function scoped(scope: string, actor: Actor, access: Access): Outcome {
  if (scope === "team" && BOUND.includes(actor)) return FORBIDDEN;
  if (access === "open" || SCOPES[scope]?.includes(actor)) return "ok";
  return SOME_SCOPE.includes(actor) ? FORBIDDEN : UNAUTHORIZED;
}

/** What is for the teams of the house, and for its people. */
const housebound: Rule = (actor, access) => (actor === "guest" ? FORBIDDEN : writing(actor, access));

type Rule = (actor: Actor, access: Access) => Outcome;
/** Whoever is let in is told that what it asks for is not there. */
const butMissing =
  (rule: Rule, what: Outcome): Rule =>
  (actor, access) => {
    const outcome = rule(actor, access);
    return outcome === "ok" ? what : outcome;
  };
/** A key that is bound to a session keeps that one, and not the house. */
const housekeeping: Rule = (actor, access) =>
  access === "open" && BOUND.includes(actor) ? FORBIDDEN : scoped("admin", actor, access);

/** Where a verb differs from what its @who says. */
const EXCEPTIONS: Record<string, Rule> = {
  join_session: (actor, access) => {
    if (actor === "key of the session" || actor === "invitation") return "ok";
    if (actor === "key of another session") return access === "open" ? "ok" : "404 session_not_found";
    return scoped("team", actor, access);
  },
  leave_session: seated,
  ack_messages: seated,
  pause_session: leading,
  unpause_session: leading,
  remove_team: leading,
  revoke_invites: leading,
  create_invite: (actor, access) => (actor === "guest" ? FORBIDDEN : writing(actor, access)),
  update_session_access: (actor, access) =>
    actor === "viewer" || actor === "member" ? "403 convener_only" : leading(actor, access),
  withdraw_question: (actor, access) =>
    actor !== "convener" && writing(actor, access) === "ok" ? FORBIDDEN : writing(actor, access),
  answer_ask: (actor) => (actor === "viewer" ? FORBIDDEN : PEOPLE.includes(actor) ? "ok" : UNAUTHORIZED),
  update_task: butMissing(writing, "404 task_not_found"),
  verify_task: butMissing(writing, "404 task_not_found"),
  change_role: butMissing(housekeeping, "404 person_not_found"),
  remove_person: butMissing(housekeeping, "404 person_not_found"),
  sign_out_person: butMissing(housekeeping, "404 person_not_found"),
  tick: butMissing(writing, "400 invalid_argument"),
  // Nobody gives a role that opens more than they can.
  invite_person: (actor, access) =>
    access === "keys" && actor === "key admin" ? FORBIDDEN : housekeeping(actor, access),
  // A key that is bound elsewhere does not see the board that the session is on.
  get_board: (actor, access) =>
    access === "keys" && actor === "key of another session" ? "404 board_not_found" : scoped("read", actor, access),
  list_people: housekeeping,
  list_audit: housekeeping,
  delete_session: (actor, access) =>
    access === "open" && actor === "key of another session" ? "404 session_not_found" : scoped("admin", actor, access),
  update_team: seated,
  spawn_session: (actor, access) => (actor === "guest" ? FORBIDDEN : writing(actor, access)),
  fork_session: (actor, access) => (actor === "guest" ? FORBIDDEN : writing(actor, access)),
  interrupt_team: leading,
  // Guests direct no agents; whoever may is told that there is none, or no machine for one.
  spawn_agent: butMissing(housebound, "409 no_runner"),
  prompt_agent: butMissing(housebound, "404 agent_not_found"),
  interrupt_agent: butMissing(housebound, "404 agent_not_found"),
  stop_agent: butMissing(housebound, "404 agent_not_found"),
  answer_permission: butMissing(housebound, "404 agent_not_found"),
  get_transcript: butMissing(
    (actor, access) => (actor === "guest" ? FORBIDDEN : reading(actor, access)),
    "404 agent_not_found",
  ),
  ring_team: writing,
  ask_permission: butMissing(seated, "404 agent_not_found"),
  take_run: butMissing((actor, access) => scoped("run", actor, access), "404 runner_not_found"),
  withdraw_runner: butMissing((actor, access) => scoped("run", actor, access), "404 runner_not_found"),
  create_key: (actor, access) =>
    access === "open" && BOUND.includes(actor) ? FORBIDDEN : scoped("admin", actor, access),
  revoke_key: (actor, access) =>
    access === "open" && BOUND.includes(actor) ? "404 key_not_found" : scoped("admin", actor, access),
};

/** What the contract says of a verb and a caller. */
export function expectedOf({ name, who, readonly, blocking }: Verb, actor: Actor, access: Access): Outcome {
  const exception = EXCEPTIONS[name];
  if (exception) return exception(actor, access);
  if (who === "team") return (blocking ? seated : readonly ? reading : writing)(actor, access);
  if (who === "person") return PEOPLE.includes(actor) ? "ok" : UNAUTHORIZED;
  const [, scope] = /^key (\w+)$/.exec(who) ?? [];
  if (scope) return scoped(scope, actor, access);
  throw new Error(`@who ${who} of ${name}: nobody has said what that means for ${actor}`);
}

/** What is no verb is read, by teams and guests too: row security says how much of it. */
export const expectedOfReader = (actor: Actor, access: Access): Outcome =>
  ["team of another session", "invitation", ...OF_THE_SESSION].includes(actor) ? "ok" : scoped("read", actor, access);

/** What tells nothing of any session is for everybody who has shown something that opens a door. */
export const expectedOfAnybodyKnown = (actor: Actor, access: Access): Outcome =>
  access === "keys" && STRANGERS.includes(actor) ? UNAUTHORIZED : "ok";
