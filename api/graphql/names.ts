interface Relation {
  localAttributes: readonly string[];
  remoteAttributes: readonly string[];
  extensions?: { tags?: Record<string, unknown> };
}

// Everything is keyed by session first, so what tells two relations apart is the other column.
const ownColumn = (attributes: readonly string[]) => {
  const own = attributes.filter((name) => name !== "session_id");
  return own.length === 1 && attributes.length === 2 ? own[0] : undefined;
};

/** Names as one would write them: Message.postedBy, Participant.postedMessages, Session.id. */
export const NamesPlugin: GraphileConfig.Plugin = {
  name: "ParleyNamesPlugin",
  after: ["PgSimplifyInflectionPlugin"],
  inflection: {
    replace: {
      // Without Relay's global ids nothing else claims the name id.
      _attributeName(_previous, _options, { attributeName, codec }) {
        const name = codec.attributes[attributeName]?.extensions?.tags?.name;
        return this.coerceToGraphQLName(typeof name === "string" ? name : attributeName);
      },

      // The answers of verbs are named in the singular already; session_details is no "session detail".
      _singularizedCodecName(previous, _options, codec) {
        const isTable = codec.extensions?.isTableLike === true;
        return isTable ? (previous?.(codec) ?? codec.name) : this.dontEndInInputOrPatch(this._codecName(codec));
      },

      singleRelation(previous, _options, details) {
        const relation = details.registry.pgRelations[details.codec.name]?.[details.relationName] as Relation;
        const column = ownColumn(relation.localAttributes);
        // A visible column keeps its name to itself.
        const hidden = String(details.codec.attributes[column ?? ""]?.extensions?.tags?.behavior).includes("-*");
        if (column && hidden && !relation.extensions?.tags?.fieldName) return this.camelCase(column);
        return previous?.(details) ?? "";
      },

      _manyRelation(previous, _options, details) {
        const relation = details.registry.pgRelations[details.codec.name]?.[details.relationName];
        const column = relation && ownColumn(relation.remoteAttributes);
        if (!column || relation.extensions?.tags?.foreignFieldName) return previous?.(details) ?? "";
        const table = this.distinctPluralize(this._singularizedCodecName(relation.remoteResource.codec));
        return this.camelCase(`${column.replace(/_(by|id)$/, "")}-${table}`);
      },
    },
  },
};
