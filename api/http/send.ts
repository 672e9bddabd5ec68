import type { ServerResponse } from "node:http";

export const sendJson = (res: ServerResponse, json: string, status = 200) =>
  sendText(res, json, "application/json", status);

export const sendLines = (res: ServerResponse, lines: string) => sendText(res, lines, "text/plain", 200);

/** From here on it is cheaper to make bytes of a text once than to let others make them, who reserve three for each sign. */
const LONG = 16_384;

/**
 * Ends its line: answers are read in shells. One of plain letters, which most are, goes out as it is: the bytes of a long one would be
 * garbage of the kind that is collected by going through the whole heap.
 */
function sendText(res: ServerResponse, text: string, type: string, status: number) {
  const end = text.endsWith("\n") ? "" : "\n";
  const bytes = Buffer.byteLength(text);
  const plain = bytes === text.length;
  res.writeHead(status, {
    "content-type": `${type}; charset=utf-8`,
    "cache-control": "no-store",
    "content-length": bytes + end.length,
  });
  const line = text + end;
  res.end(plain || bytes <= LONG ? line : Buffer.from(line), plain ? "latin1" : "utf8");
}
