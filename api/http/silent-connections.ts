import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Connections on which nothing was ever said: Node does not count them as idle, so a stop would wait for them. */
export function watchSilentConnections(server: Server): { close: () => void } {
  const open = new Set<Socket>();
  server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  return {
    close() {
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    },
  };
}
