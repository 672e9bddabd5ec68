import { readdirSync, readFileSync } from "node:fs";
import type { GetPromptRequest, GetPromptResult, PromptArgument } from "@modelcontextprotocol/server";
import { invalidParams } from "./errors.ts";

const FOLDER = new URL("./prompts/", import.meta.url);
const read = (name: string) => readFileSync(new URL(`${name}.md`, FOLDER), "utf8");

interface Prompt {
  name: string;
  title: string;
  description: string;
  arguments: PromptArgument[];
  /** Which arguments can be completed, and what their completer is told beside the value. */
  completes: Map<string, Record<string, string>>;
  text: string;
}

/** Between two lines of dashes "key: value"; below them the text. {{> name}} inserts a file whose name begins with _. */
function readPrompt(name: string): Prompt {
  const [, head = "", body = ""] = read(name).split(/^---$/m);
  const lines = head
    .trim()
    .split("\n")
    .map((line) => line.split(/: (.*)/s) as [string, string]);
  const all = (key: string) => lines.filter(([k]) => k === key).map(([, value]) => value);
  return {
    name,
    title: all("title")[0] ?? name,
    description: all("description")[0] ?? "",
    arguments: all("argument").map(readArgument),
    completes: new Map(all("complete").map(readCompletion)),
    text: body.trim().replace(/\{\{> (\w+)\}\}/g, (_, file: string) => read(file).trim()),
  };
}

function readArgument(line: string): PromptArgument {
  const [, name = "", required, description = ""] = /^(\w+)( \(required\))? (.*)$/.exec(line) ?? [];
  return { name, description, ...(required && { required: true }) };
}

function readCompletion(line: string): [string, Record<string, string>] {
  const [name = "", ...pairs] = line.split(" ");
  return [name, Object.fromEntries(pairs.map((pair) => pair.split("=") as [string, string]))];
}

const PROMPTS = readdirSync(FOLDER)
  .filter((file) => !file.startsWith("_"))
  .map((file) => readPrompt(file.replace(/\.md$/, "")));

const LIST = {
  prompts: PROMPTS.map(({ name, title, description, arguments: args }) => ({
    name,
    title,
    description,
    arguments: args,
  })),
};

export const listPrompts = () => LIST;

export function findPrompt(name: string): Prompt {
  const prompt = PROMPTS.find((known) => known.name === name);
  if (prompt) return prompt;
  const names = PROMPTS.map((known) => known.name).join(", ");
  throw invalidParams(`There is no prompt ${JSON.stringify(name.slice(0, 100))}. There are ${names}.`);
}

export function getPrompt({ name, arguments: given = {} }: GetPromptRequest["params"]): GetPromptResult {
  const prompt = findPrompt(name);
  const stranger = Object.keys(given).find((key) => !prompt.arguments.some((argument) => argument.name === key));
  if (stranger !== undefined)
    throw invalidParams(`The prompt ${name} has no argument ${JSON.stringify(stranger.slice(0, 100))}.`);
  const missing = prompt.arguments.find((argument) => argument.required && !given[argument.name]?.trim());
  if (missing) throw invalidParams(`The prompt ${name} needs ${missing.name}: ${missing.description}`);
  const text = fillIn(prompt.text, given);
  return { description: prompt.description, messages: [{ role: "user", content: { type: "text", text } }] };
}

/** {{name|what stands there without it}}. What was typed in is quoted: a title may hold what looks like an order. */
const fillIn = (text: string, given: Record<string, string>) =>
  text.replace(/\{\{(\w+)(?:\|([^}]*))?\}\}/g, (_, name: string, otherwise = "") =>
    given[name]?.trim() ? JSON.stringify(given[name]) : otherwise,
  );
