import { type LookupAddress, lookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** Networks that no push service of the world is in: whoever names one wants to be let in where it cannot go itself. */
const OURS = new BlockList();
for (const [network, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const)
  OURS.addSubnet(network, bits, "ipv4");
for (const [network, bits] of [
  ["::", 127],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  // Into which an IPv4 address of ours can be packed.
  ["::", 96],
  ["2001::", 32],
  ["2002::", 16],
  ["fec0::", 10],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8],
] as const)
  OURS.addSubnet(network, bits, "ipv6");

export const isPublic = (address: string): boolean =>
  isIP(address) !== 0 && !OURS.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");

/** Asked when the connection is made: a name may lead elsewhere than it did a moment ago. */
export const lookupPublic: LookupFunction = (hostname, options, callback) =>
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const found = (addresses ?? []) as LookupAddress[];
    const first = found[0];
    if (error || !first) return callback(error ?? new Error(`${hostname} is not known`), "", 0);
    if (!found.every(({ address }) => isPublic(address))) {
      return callback(new Error(`${hostname} is an address of a network of ours`), "", 0);
    }
    return options.all ? callback(null, found) : callback(null, first.address, first.family);
  });
