import { command, WHO, WHO_HELP } from "../command.ts";
import { type Answer, call } from "../connection/api.ts";
import { refAndText, toNumber } from "../input.ts";
import { json, line, note, print } from "../output.ts";
import { whichTeam } from "../team/which-team.ts";

export const search = command({
  help: `parley search [ref] "words": find words in the messages and in the document, best first.

Words, "a phrase", or, -without.
  --limit <n>         how many; default 20
${WHO_HELP}`,
  options: { ...WHO, limit: { type: "string" } },
  async run(values, positionals) {
    const { ref, text } = await refAndText(positionals, "words");
    const args = { query: text, limit: toNumber(values.limit, "--limit", { min: 1, max: 100 }) };
    const team = whichTeam({ ref, ...values });
    const path = `/sessions/${team.session_id}/search`;
    const found = await call(team.url, path, { method: "GET", teamId: team.team_id, args });
    if (values.json) return print(json(found));
    for (const hit of found.hits) await print(`${place(hit)}: ${line(hit.snippet)}`);
    if (found.hits.length === 0) note("Nothing was found.");
    if (found.has_more) note("There is more: --limit <n>");
  },
});

const place = ({ place, cursor, handle, section }: Answer) =>
  place === "message" ? `#${cursor} ${handle}` : `document${section ? ` [${line(section)}]` : ""}`;
