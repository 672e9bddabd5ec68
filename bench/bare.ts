import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";
import { serveUsage } from "./child.ts";

/** The least that keeps a posted text: node:http, a pool of the same size, one durable insert. */
const pool = new pg.Pool({
  connectionString: process.env.BENCH_SUPERUSER_URL as string,
  max: 8,
  application_name: "parley bench",
});
await pool.query(
  "create table if not exists bench_posts (id bigint generated always as identity primary key, text text, at timestamptz default now())",
);

const server = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on("data", (chunk: Buffer) => chunks.push(chunk));
  req.on("end", async () => {
    const { content } = JSON.parse(Buffer.concat(chunks).toString()) as { content: string };
    const { rows } = await pool.query({
      name: "post",
      text: "insert into bench_posts (text) values ($1) returning id, at",
      values: [content],
    });
    const json = JSON.stringify(rows[0]);
    res.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(json) }).end(json);
  });
});
server.listen(0, "127.0.0.1", () =>
  serveUsage((server.address() as AddressInfo).port, async () => {
    server.closeAllConnections();
    await pool.end();
  }),
);
