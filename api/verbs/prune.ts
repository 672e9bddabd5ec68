import type { ResultType } from "./catalogue.ts";
import { elements, mayChange, members } from "./exact-json.ts";

/** Leaves out the fields that the catalogue marks @optional where they are null: agents pay for every byte. */
export function prune(type: ResultType | undefined, answer: string): string {
  if (!type?.prunable) return answer;
  if (mayChange(answer)) return prunedText(type, answer);
  return JSON.stringify(pruned(type, JSON.parse(answer)));
}

/** The same on the text, for answers whose numbers would not survive being read. */
function prunedText(type: ResultType, text: string): string {
  if (text.startsWith("[")) return `[${elements(text).map((item) => prunedText(type, item))}]`;
  if (!text.startsWith("{")) return text;
  const kept = members(text).flatMap(([name, value]) => {
    const attribute = type.attributes.find((known) => known.name === name);
    if (value === "null" && attribute?.optional) return [];
    const inner = attribute?.composite?.prunable ? prunedText(attribute.composite, value) : value;
    return [`${JSON.stringify(name)}:${inner}`];
  });
  return `{${kept}}`;
}

function pruned(type: ResultType, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => pruned(type, item));
  if (typeof value !== "object" || value === null) return value;
  const record = value as Record<string, unknown>;
  for (const attribute of type.attributes) {
    if (record[attribute.name] === null && attribute.optional) delete record[attribute.name];
    else if (attribute.composite?.prunable)
      record[attribute.name] = pruned(attribute.composite, record[attribute.name]);
  }
  return record;
}
