import { type ExecutionArgs, getOperationAST } from "graphql";
import { ApiError } from "../errors.ts";
import { asGraphQLError } from "./errors.ts";
import { checkLimits } from "./limits.ts";

/** What happens to every operation after its validation and before its plan is made. */
export const OperationsPlugin: GraphileConfig.Plugin = {
  name: "ParleyOperationsPlugin",
  grafast: {
    middleware: {
      execute: (next, { args }) => refusal(args, refuseSubscription) ?? next(),
      subscribe: (next, { args }) => refusal(args) ?? next(),
    },
  },
};

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
