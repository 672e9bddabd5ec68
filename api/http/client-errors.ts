import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { ApiError } from "../verbs/errors.ts";

/** What Node refuses before there is a request gets the same body as everything else. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  refuse(socket, toAnswer(error.code));
}

/** The error body on a socket that has no response object. */
export function refuse(socket: Duplex, { status, body, retryAfter }: ApiError): void {
  socket.on("error", () => socket.destroy());
  const json = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(json)}`,
    "connection: close",
    ...(retryAfter === undefined ? [] : [`retry-after: ${Math.ceil(retryAfter)}`]),
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${json}`);
}

function toAnswer(code: string | undefined): ApiError {
  if (code === "HPE_HEADER_OVERFLOW") {
    return new ApiError(431, "headers_too_large", "The address and headers of this request are too long.", {
      hint: "Send long texts in the body of a POST.",
    });
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return new ApiError(408, "request_timeout", "The request did not arrive in time.", { hint: "Send it again." });
  }
  return new ApiError(400, "invalid_argument", "This is not a valid HTTP request.", {
    field: "request",
    hint: "Speak plain HTTP/1.1 to this port.",
  });
}
