import { ErrorCode } from "@modelcontextprotocol/sdk/types.js";
import { toApiError } from "../api/errors.ts";

/** A refusal outside of a tool. Not the McpError of the SDK, which would put its number into the sentence. */
export class RpcError extends Error {
  code: number;
  data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export const RESOURCE_NOT_FOUND = -32002;

export const invalidParams = (message: string, data?: unknown) => new RpcError(ErrorCode.InvalidParams, message, data);

const CODES: Record<number, number> = { 400: ErrorCode.InvalidParams, 404: RESOURCE_NOT_FOUND };

/** The same refusals as everywhere, under the numbers of JSON-RPC; code and details come along as data. */
export function toRpcError(error: unknown, report: (error: unknown) => void): RpcError {
  if (error instanceof RpcError) return error;
  const refusal = toApiError(error);
  if (refusal.status >= 500) report(error);
  const code = CODES[refusal.status] ?? (refusal.status < 500 ? ErrorCode.InvalidRequest : ErrorCode.InternalError);
  return new RpcError(code, refusal.message, { code: refusal.code, details: refusal.details });
}
