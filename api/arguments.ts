import type { Argument, Callable } from "./catalogue.ts";
import { invalidArgument } from "./errors.ts";
import { checkTexts } from "./texts.ts";

const INT4 = 2_147_483_647;

/** Checks the arguments of a call against the catalogue and turns them into what the database takes. */
export function readArguments(verb: Callable, given: Record<string, unknown>): Map<string, unknown> {
  for (const name of Object.keys(given)) {
    if (!verb.arguments.some((argument) => argument.name === name)) throw unknownArgument(verb, name);
  }
  const values = new Map<string, unknown>();
  for (const argument of verb.arguments) {
    const value = Object.hasOwn(given, argument.name) ? given[argument.name] : undefined;
    if (value !== undefined && value !== null) values.set(argument.name, coerce(argument, value));
    else if (!argument.optional)
      throw invalidArgument(argument.name, `${argument.name} is required.`, argument.description);
  }
  return values;
}

function unknownArgument(verb: Callable, name: string) {
  const known = verb.arguments.map((argument) => argument.name).join(", ");
  const hint =
    name === "team_id" ? "Send the team_id as the header X-Team-ID." : `${verb.name} takes ${known || "no arguments"}.`;
  return invalidArgument(name, `${verb.name} has no argument ${quote(name)}.`, hint);
}

function coerce({ name, type }: Argument, value: unknown): unknown {
  checkTexts(name, value);
  switch (type) {
    case "text":
    case "uuid":
      if (typeof value !== "string") throw invalidArgument(name, `${name} must be a string.`);
      return value;
    case "integer": {
      const number = toNumber(value);
      if (number === undefined || !Number.isInteger(number))
        throw invalidArgument(name, `${name} must be a whole number.`);
      // What the database cannot count to is as far out as it gets: the verb says what that means.
      return Math.max(-INT4, Math.min(number, INT4));
    }
    case "double precision":
    case "numeric": {
      const number = toNumber(value);
      if (number === undefined) throw invalidArgument(name, `${name} must be a number.`);
      return number;
    }
    case "boolean":
      if (value === true || value === "true") return true;
      if (value === false || value === "false") return false;
      throw invalidArgument(name, `${name} must be true or false.`);
    case "jsonb":
    case "json":
      return JSON.stringify(value);
    default:
      if (type.endsWith("[]")) {
        if (!Array.isArray(value)) throw invalidArgument(name, `${name} must be a list.`, 'Put it in brackets: ["…"].');
        return value.map((item) => coerce({ name, type: type.slice(0, -2), optional: false, description: "" }, item));
      }
      return typeof value === "object" ? JSON.stringify(value) : String(value);
  }
}

function toNumber(value: unknown): number | undefined {
  if (typeof value === "string" && !/^[+-]?(\d+\.?\d*|\.\d+)$/.test(value)) return undefined;
  const number = typeof value === "string" || typeof value === "number" ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

const quote = (name: string) => JSON.stringify(name.slice(0, 100).toWellFormed());
