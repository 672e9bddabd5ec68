import { ProtocolErrorCode } from "@modelcontextprotocol/server";
import { toApiError } from "../api/verbs/errors.ts";

/** A refusal outside of a tool, in our words. */
export class RpcError extends Error {
  code: number;
  data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export const invalidParams = (message: string, data?: unknown) =>
  new RpcError(ProtocolErrorCode.InvalidParams, message, data);

/** The same refusals as everywhere, under the numbers of JSON-RPC; code and details come along as data. */
export function toRpcError(error: unknown, report: (error: unknown) => void): RpcError {
  if (error instanceof RpcError) return error;
  const refusal = toApiError(error);
  if (refusal.status >= 500) report(error);
  return new RpcError(codeOf(refusal.status), refusal.message, { code: refusal.code, details: refusal.details });
}

function codeOf(status: number): number {
  if (status >= 500) return ProtocolErrorCode.InternalError;
  // Since 2026 what is not there is a parameter that is wrong.
  return status === 400 || status === 404 ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InvalidRequest;
}
