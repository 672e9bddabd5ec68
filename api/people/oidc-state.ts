import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

/** What a browser keeps while somebody is at the provider, to be compared when they come back. */
export interface Errand {
  state: string;
  nonce: string;
  verifier: string;
  /** The page that they came from. */
  to: string;
}

export const ERRAND_SECONDS = 600;

/** Signed with what only the servers of this Parley know: any of them can be the one that they come back to. */
export function createErrands(secret: string) {
  const key = Buffer.from(hkdfSync("sha256", secret, "", "parley oidc errand", 32));
  const sign = (text: string) => createHmac("sha256", key).update(text).digest("base64url");
  return {
    write(errand: Errand): string {
      const text = Buffer.from(JSON.stringify({ ...errand, until: Date.now() + ERRAND_SECONDS * 1_000 })).toString(
        "base64url",
      );
      return `${text}.${sign(text)}`;
    },

    read(cookie: string | undefined): Errand | undefined {
      const [text = "", signature = ""] = cookie?.split(".") ?? [];
      const [given, right] = [Buffer.from(signature), Buffer.from(sign(text))];
      if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
      const { until, ...errand } = JSON.parse(Buffer.from(text, "base64url").toString()) as Errand & { until: number };
      return until > Date.now() ? errand : undefined;
    },
  };
}
