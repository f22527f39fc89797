import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";

/** IANA special-purpose networks, and metadata services of clouds. */
const NOT_PUBLIC_V4: readonly (readonly [network: string, prefix: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // Metadata services of most clouds are link-local; Azure's host channel has a public address.
  ["169.254.0.0", 16],
  ["168.63.129.16", 32],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

/** Special-purpose networks within 2000::/3: protocol assignments, documentation, and Teredo and 6to4, which embed IPv4. */
const NOT_PUBLIC_V6: readonly (readonly [network: string, prefix: number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

interface Networks {
  readonly notPublic: BlockList;
  readonly globalUnicast: BlockList;
}

let networks: Networks | undefined;

/** Made at first use: a start-up snapshot cannot hold a `BlockList`. */
function specialNetworks(): Networks {
  if (networks !== undefined) return networks;
  const notPublic = new BlockList();
  for (const [network, prefix] of NOT_PUBLIC_V4) notPublic.addSubnet(network, prefix, "ipv4");
  for (const [network, prefix] of NOT_PUBLIC_V6) notPublic.addSubnet(network, prefix, "ipv6");
  const globalUnicast = new BlockList();
  globalUnicast.addSubnet("2000::", 3, "ipv6");
  return (networks = { notPublic, globalUnicast });
}

/** Whether an IP address is on the public internet and not one of this host. */
export function isPublicAddress(address: string): boolean {
  const isLocal = Object.values(networkInterfaces()).some((each) => each?.some((own) => own.address === address));
  if (isLocal) return false;
  const { notPublic, globalUnicast } = specialNetworks();
  switch (isIP(address)) {
    case 4:
      return !notPublic.check(address, "ipv4");
    case 6:
      // IPv4-mapped, -translated and -compatible addresses are outside 2000::/3.
      return globalUnicast.check(address, "ipv6") && !notPublic.check(address, "ipv6");
    default:
      return false;
  }
}
