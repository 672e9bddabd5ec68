import { ApiError } from "../verbs/errors.ts";
import type { Step } from "./handler.ts";

export const BODY_LIMIT = 4 * 1024 * 1024;
export const ALL_BODIES_LIMIT = 64 * 1024 * 1024;

const tooLarge = () =>
  new ApiError(413, "body_too_large", `The body is larger than ${BODY_LIMIT} bytes.`, {
    hint: "Send less in one call.",
  });
const compressed = () =>
  new ApiError(415, "invalid_argument", "The body is compressed.", {
    field: "Content-Encoding",
    hint: "Send it as it is, without Content-Encoding.",
  });
const tooMany = () =>
  new ApiError(503, "unavailable", "More is being sent to this server than it can keep at once.", {
    retry_after_seconds: 2,
    hint: "Nothing was done. Send the same call again in a few seconds.",
  });

/** What a call that waits may weigh without ever being in the way. */
const SMALL = 4_096;

/**
 * Reads what is posted, at every door, and keeps no more than a bound of it over all requests: then the body that has been
 * arriving for the longest is refused, and after those the heavy call that has been under way for the longest is cut off, so
 * that whoever sends slowly, never ends, or waits with a heavy body gets in nobody's way.
 */
export function createBodies(limit = ALL_BODIES_LIMIT) {
  const arriving = new Set<Body>();
  const working = new Set<Body>();
  let held = 0;
  const makeRoom = (newest: Body) => {
    for (const body of arriving) if (held > limit && body !== newest) body.refuse(tooMany());
    for (const body of working) if (held > limit) body.cut();
    if (held > limit) newest.refuse(tooMany());
  };

  const read: Step = (req, res, next) => {
    if (req.method === "GET" || req.method === "HEAD") {
      req.resume();
      return next();
    }
    if ((req.headers["content-encoding"] ?? "identity") !== "identity") throw compressed();
    if (Number(req.headers["content-length"]) > BODY_LIMIT) throw tooLarge();

    const body = new Body((bytes) => {
      held += bytes;
    });
    const stop = (error?: ApiError) => {
      arriving.delete(body);
      req.off("data", take).off("end", done).resume();
      if (error) body.drop();
      next(error);
    };
    const take = (chunk: Buffer) => {
      if (body.length + chunk.length > BODY_LIMIT) return stop(tooLarge());
      body.append(chunk);
      if (held > limit) makeRoom(body);
    };
    const done = () => {
      req.body = body.bytes;
      if (body.length > SMALL) working.add(body);
      stop();
    };
    const letGo = () => {
      arriving.delete(body);
      working.delete(body);
      body.drop();
    };
    // Named before it is assigned, as in answers.ts.
    const cut = () => {
      letGo();
      req.socket.destroy();
    };
    body.refuse = stop;
    body.cut = cut;
    arriving.add(body);
    req.on("data", take).on("end", done);
    // Until the answer has gone: what is being worked on is kept as well.
    res.on("close", letGo);
  };

  return {
    read,
    /** Bytes of all bodies that are arriving or being worked on. */
    get held() {
      return held;
    },
  };
}

const NOTHING = Buffer.alloc(0);

/** Grows by copying: a body that comes in a million pieces is kept, and counted, as its bytes. */
class Body {
  length = 0;
  refuse: (error: ApiError) => void = () => undefined;
  cut: () => void = () => undefined;
  #buffer: Buffer = NOTHING;
  #count: (bytes: number) => void;

  constructor(count: (bytes: number) => void) {
    this.#count = count;
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.length);
  }

  append(chunk: Buffer) {
    const needed = this.length + chunk.length;
    if (this.length === 0) {
      // Most come in one piece.
      this.#keep(chunk);
    } else {
      if (needed > this.#buffer.length) this.#resize(Math.min(Math.max(needed, 2 * this.#buffer.length), BODY_LIMIT));
      chunk.copy(this.#buffer, this.length);
    }
    this.length = needed;
  }

  drop() {
    this.length = 0;
    this.#keep(NOTHING);
  }

  #resize(size: number) {
    const buffer = Buffer.allocUnsafeSlow(size);
    this.bytes.copy(buffer);
    this.#keep(buffer);
  }

  #keep(buffer: Buffer) {
    this.#count(buffer.length - this.#buffer.length);
    this.#buffer = buffer;
  }
}
