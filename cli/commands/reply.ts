import { command, WHO, WHO_HELP } from "../command.ts";
import { UsageError } from "../errors.ts";
import { refAndText } from "../input.ts";
import { whichTeam } from "../team/which-team.ts";
import { postText } from "./post.ts";

export const reply = command({
  help: `parley reply [ref] <n> "text" | -: answer message n; - reads the text from stdin.

  --kind <word>       answer, decision, status …
  --key <id>          one's own key for this message: the same key and text are posted once
${WHO_HELP}`,
  options: { ...WHO, kind: { type: "string" }, key: { type: "string" } },
  async run(values, positionals) {
    const ref = positionals.length > 2 ? positionals[0] : undefined;
    const [replyTo, ...rest] = ref === undefined ? positionals : positionals.slice(1);
    if (!/^#?\d+$/.test(replyTo ?? "")) throw new UsageError('Say which message, e.g. parley reply 12 "Yes".');
    const { ref: stray, text } = await refAndText(rest, "text");
    if (stray !== undefined) throw new UsageError("Too many words: put the text in quotes.");
    const { kind, key, json: asJson } = values;
    return postText(whichTeam({ ref, ...values }), text, { kind, key, asJson, replyTo });
  },
});
