import { type ConnectionStep, constant, type FieldArgs, lambda, type Step } from "postgraphile/grafast";

export const DEFAULT_PAGE = 100;
export const MAX_PAGE = 500;

type Page = readonly [first?: number | null, last?: number | null, before?: string | null];

/** A page that is not given a size gets one, at the end that it is read from: nothing reads a table as a whole. */
export const PagesPlugin: GraphileConfig.Plugin = {
  name: "ParleyPagesPlugin",
  after: ["PgFirstLastBeforeAfterArgsPlugin"],
  schema: {
    hooks: {
      GraphQLObjectType_fields_field_args(args, _build, { scope }) {
        if (!scope.isPgFieldConnection || !args.first) return args;
        // Skipping reads what it skips, however far; cursors don't.
        delete args.offset;
        delete args.first.applyPlan;
        delete args.last?.applyPlan;
        args.first.description = `Only the first n, at most ${MAX_PAGE}. Default: ${DEFAULT_PAGE}.`;
        if (args.last) args.last.description = `Only the last n, at most ${MAX_PAGE}.`;
        return args;
      },

      GraphQLObjectType_fields_field(field, _build, { scope }) {
        const { plan } = field;
        if (!scope.isPgFieldConnection || !plan) return field;
        field.plan = ($parent, args: FieldArgs, info) => {
          const $connection = plan($parent, args, info) as ConnectionStep<unknown>;
          const has = (name: string) => info.field.args.some((arg) => arg.name === name);
          const $page = ["first", "last", "before"].map((name) => (has(name) ? args.getRaw(name) : constant(null)));
          $connection.setFirst(
            sized($page, ([first, last, before]) => first ?? (last == null && before == null ? DEFAULT_PAGE : null)),
          );
          if (has("last")) {
            $connection.setLast(
              sized($page, ([first, last, before]) => last ?? (first == null && before != null ? DEFAULT_PAGE : null)),
            );
          }
          return $connection;
        };
        return field;
      },
    },
  },
};

const sized = ($page: Step[], size: (page: Page) => number | null) =>
  lambda($page, (page) => size(page as unknown as Page), true);
