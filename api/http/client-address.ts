import type { IncomingMessage } from "node:http";
import { BlockList, isIP, isIPv4 } from "node:net";

/** Whether whoever has this address, so many proxies away, may say whom it speaks for. */
export type Trust = (address: string, hop: number) => boolean;

interface Client {
  address: string;
  scheme: string | undefined;
}

// On the request itself: a WeakMap would have to be looked through with every collection of young objects.
const CLIENT = Symbol("client");
type Noted = IncomingMessage & { [CLIENT]?: Client };

/** Who has sent a request: the address on the socket, or the one that a trusted proxy tells. */
export const clientAddress = (req: IncomingMessage): string =>
  (req as Noted)[CLIENT]?.address ?? plain(req.socket.remoteAddress);

/** What a trusted proxy says that it was asked over, http: or https:. */
export const forwardedScheme = (req: IncomingMessage): string | undefined => (req as Noted)[CLIENT]?.scheme;

/** Looks once at who has sent it, for all that ask later. */
export function noteClient(req: IncomingMessage, trust: Trust): void {
  let address = plain(req.socket.remoteAddress);
  const [scheme] = trust(address, 0) ? (one(req.headers["x-forwarded-proto"])?.split(",") ?? []) : [];
  const chain = one(req.headers["x-forwarded-for"])?.split(",").reverse() ?? [];
  for (const [hop, entry] of chain.entries()) {
    const next = trust(address, hop) ? toAddress(entry) : undefined;
    if (next === undefined) break;
    address = next;
  }
  (req as Noted)[CLIENT] = {
    address,
    scheme: /^https?$/i.test(scheme ?? "") ? `${scheme?.toLowerCase()}:` : undefined,
  };
}

const one = (header: string | string[] | undefined) => (Array.isArray(header) ? header.join(",") : header);

/** IPv4 as such, and without the name of an interface. */
const plain = (address = "") => address.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "");

/** With a port, perhaps, and an IPv6 address in brackets. */
function toAddress(entry: string): string | undefined {
  const [, address = ""] = /^\s*\[?((?:\d+\.){3}\d+|[0-9a-f:.]*:[0-9a-f:.]*)\]?(?::\d+)?\s*$/i.exec(entry) ?? [];
  return isIP(plain(address)) ? plain(address) : undefined;
}

export const trustNobody: Trust = () => false;

const NAMED: Record<string, string[]> = {
  loopback: ["127.0.0.0/8", "::1"],
  linklocal: ["169.254.0.0/16", "fe80::/10"],
  uniquelocal: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"],
};

/** TRUST_PROXY, as Express takes it: how many proxies stand in front, or their addresses. Undefined: not to be understood. */
export function readTrust(value: string): Trust | undefined {
  if (/^\d{1,2}$/.test(value)) return (_address, hop) => hop < Number(value);
  const list = new BlockList();
  const entries = value.split(",").flatMap((entry) => NAMED[entry.trim()] ?? [entry.trim()]);
  for (const entry of entries) {
    const [address = "", bits, ...more] = entry.split("/");
    const most = isIPv4(address) ? 32 : 128;
    const length = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
    if (!isIP(address) || length < 0 || length > most || more.length > 0) return undefined;
    list.addSubnet(address, length, familyOf(address));
  }
  return (address) => isIP(address) > 0 && list.check(address, familyOf(address));
}

const familyOf = (address: string) => (isIPv4(address) ? "ipv4" : "ipv6");
