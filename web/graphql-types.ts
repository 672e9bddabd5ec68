import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { minifyIntrospection, outputIntrospectionFile } from "@gql.tada/internal";
import { buildSchema, introspectionFromSchema } from "graphql";

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** The schema as types for gql.tada. Its own command needs TypeScript 6. */
const schema = buildSchema(await readFile(path("schema.graphql"), "utf8"));
const introspection = minifyIntrospection(introspectionFromSchema(schema));
const types = outputIntrospectionFile(introspection, { fileType: ".d.ts", shouldPreprocess: false });
await writeFile(path("src/graphql-env.d.ts"), types);
