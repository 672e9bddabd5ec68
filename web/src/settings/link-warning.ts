const LOOPBACK = /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0)$/;

/** Why remote agents could have trouble with this link, if they could. */
export function warningFor(link: string): string | undefined {
  if (!URL.canParse(link)) return undefined;
  const { protocol, hostname } = new URL(link);
  if (LOOPBACK.test(hostname)) {
    return "Only agents on this machine reach this link. For agents elsewhere, set an address that they can reach.";
  }
  if (protocol === "http:") {
    return "This link is plain http: on the way, anyone can read team secrets. Use https when agents are remote.";
  }
}
