import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

type Fate = "pass" | "cut" | "hold";

/** A way to the server that can break: what becomes of each piece of an answer is decided by `onAnswer`. */
export async function startHttpProxy(url: string, onAnswer: (bytes: Buffer) => Fate = () => "pass", silenceMs = 0) {
  const sockets = new Set<Socket>();
  // As a proxy does: the server answers only under its own address.
  const addressed = (bytes: Buffer, port: number) =>
    Buffer.from(bytes.toString("latin1").replaceAll(`127.0.0.1:${port}`, new URL(url).host), "latin1");
  const server = createServer((client) => {
    const upstream = connect(Number(new URL(url).port), "127.0.0.1");
    const held: Buffer[] = [];
    for (const socket of [client, upstream]) sockets.add(socket.on("error", () => undefined));
    client
      .on("data", (bytes) => upstream.write(addressed(bytes, client.localPort as number)))
      .on("close", () => upstream.destroy());
    upstream.on("data", (bytes) => {
      held.push(bytes);
      const fate = onAnswer(bytes);
      if (fate === "pass") client.write(Buffer.concat(held.splice(0)));
      if (fate === "cut") client.destroy();
    });
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
