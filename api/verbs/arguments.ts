import type { Argument, Callable } from "./catalogue.ts";
import { invalidArgument } from "./errors.ts";
import { digitsOfExponents, itemsAsWritten, Written } from "./exact-json.ts";
import { checkTexts } from "./texts.ts";

const INT4 = 2_147_483_647;
// The database writes every number out, and 1e99999 is short to send.
const MAX_EXPONENT_DIGITS = 200_000;

/** Checks the arguments of a call against the catalogue and turns them into what the database takes. */
export function readArguments(verb: Callable, given: Record<string, unknown>): Map<string, unknown> {
  for (const name of Object.keys(given)) {
    if (!verb.arguments.some((argument) => argument.name === name)) throw unknownArgument(verb, name);
  }
  const values = new Map<string, unknown>();
  for (const argument of verb.arguments) {
    const value = Object.hasOwn(given, argument.name) ? given[argument.name] : undefined;
    if (value !== undefined && value !== null) values.set(argument.name, readArgument(argument, value));
    else if (!argument.optional)
      throw invalidArgument(
        argument.name,
        `${argument.name} is required.`,
        argument.description || howToSend(argument),
      );
  }
  return values;
}

function unknownArgument(verb: Callable, name: string) {
  const known = verb.arguments.map((argument) => argument.name).join(", ");
  const hint =
    name === "team_id" ? "Send the team_id as the header X-Team-ID." : `${verb.name} takes ${known || "no arguments"}.`;
  return invalidArgument(name, `${verb.name} has no argument ${quote(name)}.`, hint);
}

function readArgument(argument: Argument, given: unknown): unknown {
  const { name } = argument;
  checkTexts(name, given instanceof Written ? given.value : given);
  if (given instanceof Written && digitsOfExponents(given.text) > MAX_EXPONENT_DIGITS)
    throw invalidArgument(name, `${name} holds numbers that are too large.`, "Send such numbers as texts.");
  return coerce(argument, given);
}

function coerce(argument: Argument, given: unknown): unknown {
  const { name, type } = argument;
  const value = given instanceof Written ? given.value : given;
  if (type.endsWith("[]")) {
    if (!Array.isArray(value)) throw invalidArgument(name, `${name} must be a list.`, 'Put it in brackets: ["…"].');
    const items = given instanceof Written ? itemsAsWritten(given) : value;
    const item = { ...argument, type: type.slice(0, -2), schema: undefined };
    return items.map((each) => coerce(item, each));
  }
  if (argument.labels && !argument.labels.includes(value as string))
    throw invalidArgument(
      name,
      `${name} must be one of: ${argument.labels.join(", ")}.`,
      "Write one of them as it stands here.",
    );
  switch (type) {
    case "smallint":
    case "integer":
    case "bigint":
      return wholeNumber(argument, given);
    case "real":
    case "double precision":
    case "numeric": {
      const number = numberAsWritten(given);
      if (number === undefined) throw invalidArgument(name, `${name} must be a number.`, howToSend(argument));
      return number;
    }
    case "boolean":
      if (value === true || value === "true") return true;
      if (value === false || value === "false") return false;
      throw invalidArgument(name, `${name} must be true or false.`, howToSend(argument));
    case "jsonb":
    case "json":
      return given instanceof Written ? given.text : JSON.stringify(value);
    default:
      if (typeof value === "string") return value;
      // Where a schema says that a text may be given as something else, the function reads it.
      if (!argument.schema) throw invalidArgument(name, `${name} must be a string.`, howToSend(argument));
      return given instanceof Written ? given.text : JSON.stringify(value);
  }
}

function wholeNumber(argument: Argument, given: unknown): unknown {
  const { name, type, clamped } = argument;
  const written = numberAsWritten(given);
  const number = Number(written);
  if (written === undefined || !Number.isInteger(number))
    throw invalidArgument(name, `${name} must be a whole number.`, howToSend(argument));
  // What the database cannot count to is as far out as it gets: the verb says what that means.
  if (type === "integer" && clamped) return Math.max(-INT4, Math.min(number, INT4));
  return /^[+-]?\d+$/.test(written) ? written : BigInt(number).toString();
}

/** A number with all its digits; undefined for what is none. */
function numberAsWritten(given: unknown): string | undefined {
  const value = given instanceof Written ? given.value : given;
  if (typeof value === "number") return given instanceof Written ? given.text : String(value);
  return typeof value === "string" && /^[+-]?(\d+\.?\d*|\.\d+)$/.test(value) ? value : undefined;
}

/** What a query string says in place of JSON: a list as a,b,c or in brackets, and JSON as such, if it is some. */
export function readQuery(verb: Callable, given: Record<string, string>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).map(([name, text]) => {
      const type = verb.arguments.find((argument) => argument.name === name)?.type ?? "";
      if (type === "json" || type === "jsonb" || (type.endsWith("[]") && text.startsWith("[")))
        return [name, parsed(text)];
      if (!type.endsWith("[]")) return [name, text];
      return [name, text === "" ? [] : text.split(",")];
    }),
  );
}

function parsed(text: string): unknown {
  try {
    return new Written(JSON.parse(text), text);
  } catch {
    return text;
  }
}

/** What an argument looks like in JSON. */
function howToSend({ name, type }: Argument): string {
  const kind = type.endsWith("[]") ? "[]" : type;
  const example = {
    "[]": '["…"]',
    boolean: "true",
    jsonb: "{…}",
    json: "{…}",
    numeric: "1.5",
    "double precision": "1.5",
  };
  const whole = ["smallint", "integer", "bigint"].includes(kind) && "1";
  return `Send it as "${name}": ${whole || (example[kind as keyof typeof example] ?? '"…"')}.`;
}

const quote = (name: string) => JSON.stringify(name.slice(0, 100).toWellFormed());
