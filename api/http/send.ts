import type { ServerResponse } from "node:http";

export const sendJson = (res: ServerResponse, json: string, status = 200) =>
  sendText(res, json, "application/json", status);

export const sendLines = (res: ServerResponse, lines: string) => sendText(res, lines, "text/plain", 200);

/** Ends its line: answers are read in shells. */
function sendText(res: ServerResponse, text: string, type: string, status: number) {
  const whole = text.endsWith("\n") ? text : `${text}\n`;
  res.writeHead(status, {
    "content-type": `${type}; charset=utf-8`,
    "cache-control": "no-store",
    "content-length": Buffer.byteLength(whole),
  });
  res.end(whole);
}
