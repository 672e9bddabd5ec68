import { connect } from "node:net";

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Sends bytes as they stand, for what no client lets a test send, and reads the first answer. */
export function sendRaw(url: string, request: string): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let received = "";
    const look = (ended: boolean) => {
      const answer = parse(received, ended);
      if (!answer && !ended) return;
      socket.destroy();
      if (answer) resolve(answer);
      else reject(new Error(`the connection ended after ${JSON.stringify(received)}`));
    };
    socket.setEncoding("utf8").on("data", (text) => {
      received += text;
      look(false);
    });
    socket.on("close", () => look(true)).on("error", reject);
    socket.write(request);
  });
}

function parse(text: string, ended: boolean): RawAnswer | undefined {
  const [head = "", ...rest] = text.split("\r\n\r\n");
  if (rest.length === 0) return undefined;
  const [first = "", ...lines] = head.split("\r\n");
  const status = Number(first.split(" ")[1]);
  const headers = Object.fromEntries(
    lines.map((line) => {
      const [name = "", value = ""] = line.split(/: (.*)/);
      return [name.toLowerCase(), value];
    }),
  );
  const body = rest.join("\r\n\r\n");
  const complete = status === 101 || Buffer.byteLength(body) >= Number(headers["content-length"] ?? Number.NaN);
  return complete || ended ? { status, headers, body } : undefined;
}
