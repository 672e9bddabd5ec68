import { visible, visibleName } from "../../session/markdown/visible.ts";
import { wordsFor } from "../words.ts";

type Details = Record<string, unknown>;

const when = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:[\d.]+(Z|[+-]\d\d:\d\d)$/;

/** What was done, as it reads after the name of whoever did it; the session is told behind it. */
const SENTENCES: Record<string, (of: (name: string) => string, details: Details) => string> = {
  agent_spawned: (of) => `started ${of("agent")} as ${of("handle")} on the runner ${of("runner")}`,
  agent_stopped: (of) => `stopped ${of("handle")}, an agent (${of("agent")})`,
  invite_accepted: () => "accepted an invitation",
  invite_created: (of) => `made an invitation for ${times(of("uses"))}, good until ${of("expires_at")}`,
  invites_revoked: (of) => `took back ${counted(of("revoked"), "invitation")}`,
  key_created: (of, { expires_at }) =>
    `made the key “${of("name")}” (${of("key")}) for ${of("scopes")}, ${expires_at ? `good until ${of("expires_at")}` : "without an end"}`,
  key_revoked: (of, details) =>
    `revoked the key “${of("name")}” (${of("key")})${details.with ? `, which was made with ${of("with")}` : ""}`,
  link_made: (of, { name }) => `made a link to sign in${name ? ` for ${of("name")} as ${of("role")}` : ""}`,
  person_removed: (of) => `removed ${of("name")}, who was ${of("role")}`,
  person_signed_out: (of) => `signed ${of("name")} out everywhere`,
  role_changed: (of) => `made ${of("name")} ${of("to")}, who was ${of("from")}`,
  runner_offered: (of) =>
    `offered the runner ${of("runner")} with ${of("agents")}, for ${of("accept") === "anyone" ? "anyone" : "who has a key"}`,
  session_access_updated: (_, details) => `changed who sees and writes: ${changesIn(details)}`,
  session_deleted: (of) =>
    `deleted ${counted(of("messages"), "message")} (${of("reason")}), and whatever else there was`,
  session_paused: (of, { reason }) => `paused the agents${reason ? `: ${of("reason")}` : ""}`,
  session_unpaused: () => "let the agents go on",
  setting_changed: (of) => `set “${wordsFor(of("name")).label}” to ${of("value")}`,
  signed_in: (of) => `signed in by ${of("by") === "oidc" ? "OpenID Connect" : `a ${of("by")}`}, as ${of("role")}`,
  signed_out: () => "signed out",
  signed_out_everywhere: () => "signed out everywhere",
  team_removed: (of, { reason }) => `removed the team ${of("handle")}${reason ? `: ${of("reason")}` : ""}`,
};

/** A sentence without its subject; of an event that the page does not know, its name and all that is known of it. */
export function sentenceOf(event: string, given: unknown): string {
  const details = (given ?? {}) as Details;
  const of = (name: string) => inWords(details[name]);
  const known = Object.hasOwn(SENTENCES, event) ? SENTENCES[event] : undefined;
  if (known) return known(of, details);
  const all = Object.keys(details).filter((name) => details[name] !== null);
  return [
    visibleName(event.replaceAll("_", " ")),
    ...all.map((name) => `${visibleName(name.replaceAll("_", " "))} ${of(name)}`),
  ].join(", ");
}

const changesIn = (details: Details) =>
  Object.entries(details)
    .map(([name, change]) => `${visibleName(name)} is ${inWords((change as { to?: unknown } | null)?.to)}`)
    .join(", ");

const counted = (number: string, what: string) => `${number} ${what}${number === "1" ? "" : "s"}`;
const times = (uses: string) => (uses === "1" ? "one use" : `${uses} uses`);

function inWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(inWords).join(", ");
  if (typeof value !== "string") return visible(JSON.stringify(value ?? "—"));
  return TIME.test(value) ? when.format(new Date(value)) : visible(value);
}
