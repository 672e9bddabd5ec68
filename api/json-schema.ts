import type { Argument, ResultType, Verb } from "./catalogue.ts";

export type Schema = Record<string, unknown>;

const SCALARS: Record<string, Schema> = {
  text: { type: "string" },
  uuid: { type: "string", format: "uuid" },
  integer: { type: "integer" },
  "double precision": { type: "number" },
  numeric: { type: "number" },
  boolean: { type: "boolean" },
  "timestamp with time zone": { type: "string", format: "date-time" },
  json: { type: ["string", "object", "array"] },
  jsonb: { type: ["string", "object", "array"] },
  "parley.message_ref": { type: ["string", "integer"] },
};

const scalar = (type: string): Schema =>
  type.endsWith("[]") ? { type: "array", items: scalar(type.slice(0, -2)) } : (SCALARS[type] ?? { type: "string" });

const described = (schema: Schema, description: string): Schema => (description ? { ...schema, description } : schema);

export const argumentSchema = (argument: Argument): Schema => described(scalar(argument.type), argument.description);

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

/** The answer of a verb; nested types are referred to by name. */
export function resultSchema(type: ResultType, ref: (type: ResultType) => Schema): Schema {
  const properties = type.attributes.map((attribute) => {
    const inner = attribute.composite ? ref(attribute.composite) : scalar(attribute.type);
    const schema = attribute.composite && attribute.type.endsWith("[]") ? { type: "array", items: inner } : inner;
    return [attribute.name, described(attribute.composite ? schema : nullable(schema), attribute.description)];
  });
  const required = type.attributes.filter((attribute) => !attribute.optional).map((attribute) => attribute.name);
  return described({ type: "object", properties: Object.fromEntries(properties), required }, type.description);
}

/** Postgres does not say which fields of a type are never null, so the schema does not promise it. */
const nullable = (schema: Schema): Schema => ({ ...schema, type: [schema.type, "null"].flat() });

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
