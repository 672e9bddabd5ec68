import { readConfig } from "../config.ts";
import { checkConfiguration, type Finding } from "./configuration.ts";
import { checkDatabase } from "./database.ts";

/** npm start -- --check: what is unsafe about this server as it is configured; 0 if nothing is, else 1. */
export async function check(env: NodeJS.ProcessEnv): Promise<number> {
  const config = readConfig(env);
  const findings = [...checkConfiguration(config, env), ...(await checkDatabase(config))];
  for (const finding of findings) console.log(show(finding));
  return findings.some(({ safe }) => safe === false) ? 1 : 0;
}

const show = ({ safe, text, todo }: Finding) =>
  `${safe === undefined ? "–" : safe ? "✓" : "✗"} ${text}${todo ? `. ${todo}.` : ""}`;
