import { type ParseArgsConfig, parseArgs } from "node:util";
import { UsageError } from "./errors.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;
type Given<O extends Options> = ReturnType<
  typeof parseArgs<{ options: O; allowPositionals: true; strict: true }>
>["values"];

export interface Command {
  help: string;
  /** Returns the exit code; nothing means 0. */
  run(args: string[]): Promise<number | undefined>;
}

const HELP = { help: { type: "boolean", short: "h" } } as const;

export const WHERE = { url: { type: "string" } } as const;
export const WHO = { ...WHERE, team: { type: "string" }, json: { type: "boolean" } } as const;
export const WHO_HELP = `  --team <handle>     which team, where several were joined from here
  --url <link>        another address than the one remembered
  --json              the server's answer as it is`;

/** A command: its help, its options, and what it does with what was given. */
export function command<const O extends Options>({
  help,
  options,
  run,
}: {
  help: string;
  options: O;
  run: (values: Given<O>, positionals: string[]) => Promise<number | undefined>;
}): Command {
  return {
    help,
    async run(args) {
      const { values, positionals } = parse(args, { ...options, ...HELP });
      if ((values as { help?: boolean }).help) {
        process.stdout.write(`${help}\n`);
        return 0;
      }
      return run(values as Given<O>, positionals);
    },
  };
}

// No argument can hold a NUL, so it can stand before a text that would look like an option: "- one thing".
const TEXT = "\0";
const asText = (arg: string) => (/^-+[^\s=]*\s/.test(arg) ? TEXT + arg : arg);
const unmarked = <T>(value: T) => (typeof value === "string" ? value.replace(TEXT, "") : value);

function parse(args: string[], options: Options) {
  try {
    const given = parseArgs({ args: args.map(asText), options, allowPositionals: true, strict: true });
    const values = Object.fromEntries(Object.entries(given.values).map(([name, value]) => [name, unmarked(value)]));
    return { values, positionals: given.positionals.map(unmarked) };
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    if (!code.startsWith("ERR_PARSE_ARGS")) throw error;
    throw new UsageError(`${message.split(/\.\s|\n/)[0]?.replace(/\.$/, "")}. --help lists what there is.`);
  }
}
