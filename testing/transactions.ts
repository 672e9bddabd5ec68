import pg from "pg";

let finished = 0;
const connect = pg.Client.prototype.connect as (this: pg.Client, ...args: unknown[]) => unknown;

/** How many transactions the connections of this process have finished, lone statements among them. */
export const transactions = () => finished;

// PostgreSQL itself says when a connection is out of a transaction; its own statistics come seconds late.
pg.Client.prototype.connect = function (this: pg.Client, ...args: unknown[]) {
  this.connection.on("readyForQuery", ({ status }: { status: string }) => {
    if (status === "I") finished++;
  });
  return connect.apply(this, args);
} as typeof pg.Client.prototype.connect;
