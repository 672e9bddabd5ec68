import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

/** A way to the server that can break: `onAnswer` decides what becomes of a connection when its first answer comes. */
export async function startHttpProxy(url: string, onAnswer: () => "pass" | "cut" = () => "pass", silenceMs = 0) {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(new URL(url).port), "127.0.0.1");
    for (const socket of [client, upstream]) sockets.add(socket.on("error", () => undefined));
    client.on("data", (bytes) => upstream.write(bytes)).on("close", () => upstream.destroy());
    upstream.on("data", (bytes) => (onAnswer() === "cut" ? client.destroy() : client.write(bytes)));
    upstream.on("close", () => client.destroy());
    if (silenceMs > 0) client.setTimeout(silenceMs, () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cutAll: () => {
      for (const socket of sockets) socket.destroy();
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** An address where nobody is. */
export async function deadUrl(): Promise<string> {
  const proxy = await startHttpProxy("http://127.0.0.1:1");
  proxy.close();
  return proxy.url;
}
