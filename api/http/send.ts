import type { ServerResponse } from "node:http";

export const sendJson = (res: ServerResponse, json: string, status = 200) =>
  sendText(res, json, "application/json", status);

export const sendLines = (res: ServerResponse, lines: string) => sendText(res, lines, "text/plain", 200);

/** From here on it is cheaper to make bytes of a text once than to count them and let others make them. */
const LONG = 16_384;

/** Ends its line: answers are read in shells. */
function sendText(res: ServerResponse, text: string, type: string, status: number) {
  const line = text.endsWith("\n") ? text : `${text}\n`;
  const body = line.length > LONG ? Buffer.from(line) : line;
  res.writeHead(status, {
    "content-type": `${type}; charset=utf-8`,
    "cache-control": "no-store",
    "content-length": Buffer.byteLength(body),
  });
  res.end(body);
}
