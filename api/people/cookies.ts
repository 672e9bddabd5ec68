import { cookieName } from "../http/caller.ts";
import { isLoopback } from "../http/origin.ts";
import { ApiError } from "../verbs/errors.ts";

interface Cookie {
  origin: string;
  value: string;
  seconds: number;
  /** Told apart from the one that says who somebody is. */
  suffix?: string;
}

/** No script reads it, no other site sends it along with what it posts; and it travels encrypted, unless it stays on this machine. */
export const setCookie = ({ origin, value, seconds, suffix = "" }: Cookie): string =>
  [
    `${cookieName(origin)}${suffix}=${value}`,
    "Path=/",
    `Max-Age=${seconds}`,
    "HttpOnly",
    "SameSite=Lax",
    ...(origin.startsWith("https:") ? ["Secure"] : []),
  ].join("; ");

export const dropCookie = (origin: string, suffix = ""): string => setCookie({ origin, value: "", seconds: 0, suffix });

/** Whoever has only typed a name, with open access, has a cookie that holds no more than that. */
export function refuseUnencrypted(origin: string): void {
  if (origin.startsWith("https:") || isLoopback(origin)) return;
  throw new ApiError(403, "forbidden", "Nobody signs in over plain http: on the way, anyone could take the cookie.", {
    hint: "Whoever runs the server puts https in front of it and sets PUBLIC_URL to that address.",
  });
}
