import type { Argument, Attribute, ResultType } from "./catalogue.ts";
import { parseComment } from "./comments.ts";
import type { Schema } from "./json-schema.ts";

/** A type as catalogue.sql tells it. */
export interface Shape {
  name: string;
  /** The oid and the name of what it is made of: itself, or the items of a list. */
  of: string;
  item: string;
  list: boolean;
  pseudo: boolean;
}

export interface RawType {
  name: string;
  comment: string | null;
  labels: string[] | null;
  base: Shape | null;
  attributes: { name: string; type: Shape; comment: string | null }[] | null;
}

export type ValueType = Pick<Argument, "type" | "labels" | "schema"> & { composite: ResultType | undefined };

/** What the surfaces know of a type, whatever it is called: domains are told as what they are made of. */
export class Types {
  #raw: Record<string, RawType>;
  #composites = new Map<string, ResultType>();

  constructor(raw: Record<string, RawType>) {
    this.#raw = raw;
  }

  read({ of, item, list }: Shape): ValueType {
    const raw = this.#raw[of];
    const inner = raw?.base ? this.read(raw.base) : undefined;
    const schema = (raw?.base && parseSchema(parseComment(raw.comment ?? "").get("schema"))) || inner?.schema;
    return {
      type: (inner?.type ?? item) + (list ? "[]" : ""),
      labels: raw?.labels ?? inner?.labels,
      schema: schema && (list ? { type: "array", items: schema } : schema),
      composite: raw?.attributes ? this.#composite(of, raw.name, raw.comment, raw.attributes) : inner?.composite,
    };
  }

  /** The rows of a function that names its columns itself. */
  row(name: string, columns: { name: string; type: Shape }[]): ResultType {
    return described(
      name,
      null,
      columns.map((column) => this.#attribute({ ...column, comment: null })),
    );
  }

  #composite(oid: string, name: string, comment: string | null, raw: NonNullable<RawType["attributes"]>): ResultType {
    const known = this.#composites.get(oid);
    if (known) return known;
    const attributes = raw.map((attribute) => this.#attribute(attribute));
    const made = described(name, comment, attributes);
    this.#composites.set(oid, made);
    return made;
  }

  #attribute(raw: { name: string; type: Shape; comment: string | null }): Attribute {
    const comment = parseComment(raw.comment ?? "");
    const { composite, ...type } = this.read(raw.type);
    return {
      ...type,
      name: raw.name,
      description: comment.text,
      optional: comment.has("optional"),
      schema: parseSchema(comment.get("schema")) ?? type.schema,
      composite,
    };
  }
}

function described(name: string, said: string | null, attributes: Attribute[]): ResultType {
  const comment = parseComment(said ?? "");
  return {
    name,
    description: comment.text,
    attributes,
    prunable: attributes.some((attribute) => attribute.optional || attribute.composite?.prunable),
    writer: /^\w+\.\w+$/.exec(comment.get("text") ?? "")?.[0],
    verbatim: comment.has("verbatim"),
  };
}

/** What a comment gives as a JSON Schema; nothing if it is none. */
export function parseSchema(text: string | undefined): Schema | undefined {
  try {
    const schema: unknown = JSON.parse(text ?? "");
    return typeof schema === "object" && schema !== null && !Array.isArray(schema) ? (schema as Schema) : undefined;
  } catch {
    return undefined;
  }
}
