import { type ExecutionArgs, getOperationAST, type ValueNode, valueFromASTUntyped, visit } from "graphql";
import { ApiError, toApiError } from "../verbs/errors.ts";
import { Lanes, laneOf } from "../verbs/lanes.ts";
import { asGraphQLError } from "./errors.ts";
import { checkLimits } from "./limits.ts";

/** What happens to every operation after its validation and before its plan is made. */
export function createOperationsPlugin(
  admit: Admit,
  writes: Lanes | undefined,
  connections: number,
): GraphileConfig.Plugin {
  // One connection is always left to the others, however much one address asks for.
  const width = Math.max(1, connections - 1);
  const reads = new Lanes({ width, queue: 500, total: 5_000, patienceMs: 15_000, busy: tooMuchAtOnce });
  return {
    name: "ParleyOperationsPlugin",
    grafast: {
      middleware: {
        execute: (next, { args }) =>
          refusal(args, refuseSubscription) ?? admitted(admit, args, () => inLane(writes, reads, args, next)),
        subscribe: (next, { args }) => refusal(args) ?? admitted(admit, args, next),
      },
    },
  };
}

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

/**
 * Writers of one session queue here as they do over REST; a mutation that names several goes by the first. Readers queue by the
 * address that they come from: what else they show, they may show anew with every call.
 */
function inLane<T>(writes: Lanes | undefined, reads: Lanes, args: ExecutionArgs, next: () => T | Promise<T>) {
  const session = writes && sessionOf(args);
  const { caller } = args.contextValue as Partial<Grafast.Context>;
  const queued = session
    ? writes.run(laneOf(session), async () => next())
    : reads.run(caller?.address ?? "", async () => next());
  return queued.catch((error: unknown) => ({ errors: [asGraphQLError(toApiError(error))] }));
}

const tooMuchAtOnce = () =>
  new ApiError(503, "unavailable", "From your address more is asked for than can be answered at once.", {
    retry_after_seconds: 2,
    hint: "Try again in a few seconds, with fewer queries at a time.",
  });

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
