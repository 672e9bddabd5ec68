import { type ExecutionArgs, getOperationAST, type ValueNode, valueFromASTUntyped, visit } from "graphql";
import { ApiError, toApiError } from "../verbs/errors.ts";
import { type Lanes, laneOf } from "../verbs/lanes.ts";
import { asGraphQLError } from "./errors.ts";
import { checkLimits } from "./limits.ts";

/** What happens to every operation after its validation and before its plan is made. */
export const createOperationsPlugin = (admit: Admit, writes: Lanes | undefined): GraphileConfig.Plugin => ({
  name: "ParleyOperationsPlugin",
  grafast: {
    middleware: {
      execute: (next, { args }) =>
        refusal(args, refuseSubscription) ?? admitted(admit, args, () => inLane(writes, args, next)),
      subscribe: (next, { args }) => refusal(args) ?? admitted(admit, args, next),
    },
  },
});

/** Throws where the operation is not for its caller. */
export type Admit = (args: ExecutionArgs) => Promise<void>;

async function admitted<T>(admit: Admit, args: ExecutionArgs, next: () => T | Promise<T>) {
  try {
    await admit(args);
  } catch (error) {
    return { errors: [asGraphQLError(toApiError(error))] };
  }
  return next();
}

/** Writers of one session queue here as they do over REST; a mutation that names several goes by the first. */
function inLane<T>(writes: Lanes | undefined, args: ExecutionArgs, next: () => T | Promise<T>) {
  const session = writes && sessionOf(args);
  if (!session) return next();
  return writes
    .run(laneOf(session), async () => next())
    .catch((error: unknown) => ({ errors: [asGraphQLError(toApiError(error))] }));
}

function sessionOf({ document, operationName, variableValues }: ExecutionArgs): string | undefined {
  const operation = getOperationAST(document, operationName);
  if (operation?.operation !== "mutation") return undefined;
  let found: unknown;
  const look = ({ value }: { value: ValueNode }) => {
    const given = valueFromASTUntyped(value, variableValues ?? undefined) as { sessionId?: unknown } | null;
    found ??= given?.sessionId;
  };
  visit(operation, { Argument: look });
  return typeof found === "string" ? found : undefined;
}

function refusal(args: ExecutionArgs, ...more: ((args: ExecutionArgs) => void)[]) {
  try {
    for (const check of [checkLimits, ...more]) check(args);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return { errors: [asGraphQLError(error)] };
    throw error;
  }
}

/** Otherwise grafserv would answer with a multipart stream that never ends. */
function refuseSubscription({ document, operationName }: ExecutionArgs) {
  if (getOperationAST(document, operationName)?.operation !== "subscription") return;
  throw new ApiError(400, "invalid_argument", "Subscriptions need a WebSocket.", {
    field: "query",
    hint: "Connect to the same address with the protocol graphql-transport-ws.",
  });
}
