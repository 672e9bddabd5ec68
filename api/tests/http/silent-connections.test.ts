import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, test } from "vitest";
import { until } from "../../../testing/server.ts";
import { watchSilentConnections } from "../../http/silent-connections.ts";

test("a connection on which nothing was said is closed, one on which a request is under way is not", async () => {
  const asked: ServerResponse[] = [];
  const server = createServer((_req, res) => asked.push(res));
  const silent = watchSilentConnections(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const answer = fetch(`http://127.0.0.1:${port}`);
  const quiet = connect(port, "127.0.0.1");
  const open = () => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));
  await until(async () => (await open()) === 2 && asked.length === 1, "both to be connected and one to ask");

  const closed = new Promise((resolve) => server.close(resolve));
  silent.close();
  await once(quiet, "close");
  asked[0]?.end("done");
  expect(await (await answer).text()).toBe("done");
  server.closeIdleConnections();
  await closed;
});
