import { randomUUID } from "node:crypto";
import { command, WHO, WHO_HELP } from "../command.ts";
import { call, persist } from "../connection/api.ts";
import { mayPass } from "../errors.ts";
import { refAndText } from "../input.ts";
import { json, note, print } from "../output.ts";
import type { Team } from "../team/teams.ts";
import { whichTeam } from "../team/which-team.ts";

const PATIENCE_MS = 60_000;

export const post = command({
  help: `parley post [ref] "text" | -: say something; - reads the text from stdin.

  --kind <word>       question, answer, decision, status …
  --reply-to <n>      the message that this answers, by its number
  --to <a,b>          the handles it is meant for; everybody still sees it
  --expect-reply      say that you wait for an answer (a question does)
  --key <id>          one's own key for this message: the same key and text are posted once
${WHO_HELP}

After a broken connection it is tried again, and posted once.`,
  options: {
    ...WHO,
    kind: { type: "string" },
    "reply-to": { type: "string" },
    to: { type: "string" },
    "expect-reply": { type: "boolean" },
    key: { type: "string" },
  },
  async run(values, positionals) {
    const { ref, text } = await refAndText(positionals, "text");
    const team = whichTeam({ ref, ...values });
    await postText(team, text, {
      kind: values.kind,
      replyTo: values["reply-to"],
      to: values.to,
      expectReply: values["expect-reply"],
      key: values.key,
      asJson: values.json,
    });
  },
});

interface Wishes {
  kind?: string | undefined;
  replyTo?: string | undefined;
  to?: string | undefined;
  expectReply?: boolean | undefined;
  key?: string | undefined;
  asJson?: boolean | undefined;
}

/** Posts, however often it takes, once; and says how it went. */
export async function postText(team: Team, text: string, wishes: Wishes): Promise<undefined> {
  const key = wishes.key ?? randomUUID();
  const args = {
    content: { text },
    kind: wishes.kind,
    reply_to: wishes.replyTo?.replace(/^#/, ""),
    to: wishes.to?.split(",").map((handle) => handle.trim()),
    expects_reply: wishes.expectReply,
    client_message_id: key,
  };
  const attempt = () => call(team.url, `/sessions/${team.session_id}/messages`, { teamId: team.team_id, args });
  const posted = await persist(attempt, { forMs: PATIENCE_MS }).catch((error) => {
    if (mayPass(error)) note(`It is not known whether it was posted. To try again safely, add --key ${key}`);
    throw error;
  });
  if (wishes.asJson) return print(json(posted));
  const deaf = posted.not_listening?.length > 0 ? `, not listening now: ${posted.not_listening.join(", ")}` : "";
  await print(`#${posted.cursor} posted in ${team.ref}, unread: ${posted.unread}${deaf}`);
}
