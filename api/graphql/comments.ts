import type { GraphQLField, GraphQLInputField, GraphQLNamedType, GraphQLOutputType, GraphQLSchema } from "graphql";
import { isInputObjectType, isListType, isNonNullType, isObjectType } from "graphql";
import { gatherConfig } from "postgraphile/graphile-build";

type Tags = Record<string, unknown>;
type Resource = Parameters<GraphileBuild.Inflection["customQueryField"]>[0]["resource"];

/** What the catalogue's comments say, said in the schema: texts without tags, @blocking, @param, @cost. */
export const CommentsPlugin: GraphileConfig.Plugin = {
  name: "ParleyCommentsPlugin",

  gather: gatherConfig({
    hooks: {
      // Tags and description are read once and kept, so that a change made here is what everyone sees.
      pgIntrospection_introspection(_info, { introspection }) {
        const { attributes, classes, constraints, procs, types } = introspection;
        for (const entity of [...attributes, ...classes, ...constraints, ...procs, ...types]) {
          const comment = entity.getTagsAndDescription();
          comment.description = comment.description?.trim();
        }
        for (const proc of procs) {
          const tags = proc.getTags() as Tags;
          // A call that waits holds no connection; PostGraphile would hold one. One that makes sense without waiting says so.
          if (tags.blocking && !tags.behavior) tags.behavior = "-queryField -mutationField -typeField";
        }
      },
    },
  }),

  schema: {
    hooks: {
      // An array has no room for nothing: its items are never null. Whether it may be missing is told by @notNull.
      GraphQLObjectType_fields_field(field, build, { scope }) {
        if (!scope.pgFieldAttribute?.codec.arrayOfCodec?.attributes) return field;
        field.type = withItems(build, field.type);
        return field;
      },

      finalize(schema, build) {
        for (const resource of Object.values(build.pgResources)) {
          const tags = resource.extensions?.tags as Tags | undefined;
          if (resource.parameters && tags) describeFunction(schema, build, resource as Resource, tags);
        }
        return schema;
      },
    },
  },
};

function withItems(build: GraphileBuild.Build, type: GraphQLOutputType): GraphQLOutputType {
  const { GraphQLList, GraphQLNonNull } = build.graphql;
  if (isNonNullType(type)) return new GraphQLNonNull(withItems(build, type.ofType));
  if (isListType(type) && !isNonNullType(type.ofType)) return new GraphQLList(new GraphQLNonNull(type.ofType));
  return type;
}

function describeFunction(schema: GraphQLSchema, build: GraphileBuild.Build, resource: Resource, tags: Tags) {
  const { inflection } = build;
  const input = resource.isMutation && schema.getType(inflection.customMutationInput({ resource }));
  const queries = fieldsOf(schema.getQueryType());
  const field = queries[inflection.customQueryField({ resource })];
  const [row] = resource.parameters ?? [];
  const columns = row?.codec.attributes && fieldsOf(schema.getType(inflection.tableType(row.codec)));
  const column = columns?.[inflection.computedAttributeField({ resource })];

  if (tags.cost) {
    const page = queries[inflection.customQueryConnectionField({ resource })];
    const columnPage = columns?.[inflection.computedAttributeConnectionField({ resource })];
    for (const owner of [field, page, column, columnPage])
      if (owner) owner.extensions = { ...owner.extensions, cost: Number(tags.cost) };
  }
  for (const tag of [tags.param].flat()) {
    const [, name, text] = /^(\S+)\s+(.+)$/.exec(String(tag)) ?? [];
    const index = resource.parameters?.findIndex((param) => param.name === name) ?? -1;
    const param = resource.parameters?.[index];
    if (!param || !text || text === "-") continue;
    const argument = inflection.argument({ param, resource, index });
    for (const owner of [field, column])
      describe(
        owner?.args.find((arg) => arg.name === argument),
        text,
      );
    if (isInputObjectType(input)) describe(input.getFields()[argument], text);
  }
}

const fieldsOf = (type: GraphQLNamedType | null | undefined): Record<string, GraphQLField<unknown, unknown>> =>
  isObjectType(type) ? type.getFields() : {};

function describe(target: Pick<GraphQLInputField, "description"> | undefined, text: string) {
  if (target) target.description = text;
}
