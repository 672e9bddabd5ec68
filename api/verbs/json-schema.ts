import type { Answer, Argument, Attribute, ResultType, Verb } from "./catalogue.ts";

export type Schema = Record<string, unknown>;

const WHOLE: Schema = { type: "integer" };
const TEXT: Schema = { type: "string" };
const SCALARS: Record<string, Schema> = {
  text: TEXT,
  uuid: { type: "string", format: "uuid" },
  smallint: WHOLE,
  integer: WHOLE,
  bigint: WHOLE,
  real: { type: "number" },
  "double precision": { type: "number" },
  numeric: { type: "number" },
  boolean: { type: "boolean" },
  "timestamp with time zone": { type: "string", format: "date-time" },
  date: { type: "string", format: "date" },
};

const SIMPLE = [TEXT, { type: "number" }, { type: "boolean" }, { type: "object", properties: {} }];
/** Any JSON, in words that every client takes: each with its type, no list of types, no list without items. */
const ANYTHING: Schema = { anyOf: [...SIMPLE, { type: "array", items: { anyOf: SIMPLE } }] };

/** What an argument of a type takes beside what an answer of that type holds. */
const TAKEN: Record<string, Schema> = {
  // Beyond 2^53 many callers have no number for it.
  bigint: { anyOf: [WHOLE, { type: "string", pattern: "^[+-]?[0-9]+$" }] },
  json: ANYTHING,
  jsonb: ANYTHING,
};

/** And what an answer holds of which nothing more is known. */
const HELD: Record<string, Schema> = { json: {}, jsonb: {} };

type Typed = Pick<Argument, "type" | "labels" | "schema">;

function typeSchema({ type, labels, schema }: Typed, special: Record<string, Schema>): Schema {
  if (schema) return schema;
  if (type.endsWith("[]"))
    return { type: "array", items: typeSchema({ type: type.slice(0, -2), labels, schema: undefined }, special) };
  if (labels) return { type: "string", enum: labels };
  return special[type] ?? SCALARS[type] ?? TEXT;
}

const described = (schema: Schema, description: string): Schema => (description ? { ...schema, description } : schema);

export const argumentSchema = (argument: Argument): Schema =>
  described(typeSchema(argument, TAKEN), argument.description);

/** The arguments of a verb as the JSON Schema of an object. */
export function openSchema(args: Argument[]): Schema {
  const required = args.filter((argument) => !argument.optional).map((argument) => argument.name);
  return {
    type: "object",
    properties: Object.fromEntries(args.map((argument) => [argument.name, argumentSchema(argument)])),
    ...(required.length > 0 && { required }),
  };
}

/** The same, saying that nothing else is taken. */
export const argumentsSchema = (args: Argument[]): Schema => ({ ...openSchema(args), additionalProperties: false });

type Ref = (type: ResultType) => Schema;

/** Postgres does not say what is never null, so the schema does not promise it. */
const nullable = (schema: Schema): Schema =>
  Object.keys(schema).length === 0 ? schema : { anyOf: [schema, { type: "null" }] };

function valueSchema(value: Typed & Pick<Attribute, "composite">, ref: Ref): Schema {
  if (!value.composite) return nullable(typeSchema(value, HELD));
  const inner = ref(value.composite);
  return value.type.endsWith("[]") ? { type: "array", items: inner } : inner;
}

/** A type that has fields; nested ones are referred to by name. */
export function resultSchema(type: ResultType, ref: Ref): Schema {
  const properties = type.attributes.map((attribute) => [
    attribute.name,
    described(valueSchema(attribute, ref), attribute.description),
  ]);
  const required = type.attributes.filter((attribute) => !attribute.optional).map((attribute) => attribute.name);
  return described({ type: "object", properties: Object.fromEntries(properties), required }, type.description);
}

/** The whole answer of a verb. */
export function answerSchema({ answer, result }: { answer: Answer; result: ResultType | undefined }, ref: Ref): Schema {
  if (answer.type === "void") return { type: "null" };
  const one = answer.columns && result ? ref(result) : valueSchema({ ...answer, composite: result }, ref);
  return answer.set ? { type: "array", items: one } : one;
}

export function resultTypes(verbs: Verb[]): Map<string, ResultType> {
  const types = new Map<string, ResultType>();
  const add = (type: ResultType | undefined) => {
    if (!type || types.has(type.name)) return;
    types.set(type.name, type);
    for (const attribute of type.attributes) add(attribute.composite);
  };
  for (const verb of verbs) add(verb.result);
  return types;
}
