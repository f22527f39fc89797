/** What the programs of one sandbox may do with TCP sockets. */
export interface SocketRules {
  /** The port of the proxy on 127.0.0.1. Null without network. */
  readonly proxyPort: number | null;
  /** Ports on loopback on which programs may listen, and to which they may connect. */
  readonly listen: readonly number[];
}

/** The address to use instead of the one that was given, or the errno of the refusal. */
export type SocketDecision = { readonly address: Buffer } | { readonly errno: number };

export const AF_INET = 2;
export const AF_INET6 = 10;
const AF_UNSPEC = 0;
const AF_NETLINK = 16;
const EACCES = 13;
const EINVAL = 22;
const REFUSED: SocketDecision = { errno: EACCES };

/** The least lengths of `struct sockaddr_in` and `struct sockaddr_in6` that the kernel takes. */
const LENGTHS = { [AF_INET]: 16, [AF_INET6]: 24 };
const INET6_BYTES = 28;
const IPV4 = Buffer.from([127, 0, 0, 1]);
const IPV6 = Buffer.concat([Buffer.alloc(15), Buffer.from([1])]);
const MAPPED_PREFIX = Buffer.concat([Buffer.alloc(10), Buffer.from([0xff, 0xff])]);
const MAPPED = Buffer.concat([MAPPED_PREFIX, IPV4]);

/** The loopback address that an address stands for. */
type Loopback = "127.0.0.1" | "::1";
interface Endpoint {
  readonly host: Loopback;
  readonly port: number;
  readonly address: Buffer;
}

/** Decides `connect`. The wildcard address stands for loopback, as in the kernel. */
export function decideConnect(address: Buffer, { proxyPort, listen }: SocketRules): SocketDecision {
  const family = address.readUInt16LE(0);
  // Ends the connection of a socket.
  if (family === AF_UNSPEC) return { address: Buffer.alloc(LENGTHS[AF_INET]) };
  // The filter makes sockets of the kernel's routes only.
  if (family === AF_NETLINK) return { address };
  const endpoint = readEndpoint(address, IPV6);
  if (endpoint === null || "errno" in endpoint) return endpoint ?? REFUSED;
  const { host, port } = endpoint;
  // Another program may have the proxy's port on ::1.
  const isProxy = port === proxyPort && host === "127.0.0.1";
  return isProxy || listen.includes(port) ? endpoint : REFUSED;
}

/**
 * Decides `bind`. The wildcard address becomes loopback, because many development servers listen on it; that of an IPv6
 * socket becomes 127.0.0.1, unless it takes IPv6 only. A Unix socket of a pair gets no name.
 */
export function decideBind(
  address: Buffer,
  { listen }: SocketRules,
  { isV6Only }: { readonly isV6Only: () => boolean },
): SocketDecision {
  const family = address.readUInt16LE(0);
  if (family === AF_NETLINK) return { address };
  const isWildcard = family === AF_INET6 && address.length >= LENGTHS[AF_INET6] && isZero(address.subarray(8, 24));
  const endpoint = readEndpoint(address, isWildcard && !isV6Only() ? MAPPED : IPV6);
  if (endpoint === null || "errno" in endpoint) return endpoint ?? REFUSED;
  return listen.includes(endpoint.port) ? endpoint : REFUSED;
}

/** Decides `listen` by the address to which the socket is bound. Without a bind, the kernel would choose a port. */
export function maySocketListen(local: Buffer, { listen }: SocketRules): boolean {
  const isWildcard = isZero(local.subarray(...(local.readUInt16LE(0) === AF_INET ? [4, 8] : [8, 24])));
  if (isWildcard) return false;
  const endpoint = readEndpoint(local, IPV6);
  return endpoint !== null && "port" in endpoint && listen.includes(endpoint.port);
}

/** Null for an address that is not loopback, and for another family. `wildcard` replaces the one of IPv6. */
function readEndpoint(address: Buffer, wildcard: Buffer): Endpoint | { readonly errno: number } | null {
  const family = address.readUInt16LE(0);
  if (family !== AF_INET && family !== AF_INET6) return null;
  if (address.length < LENGTHS[family]) return { errno: EINVAL };
  const port = address.readUInt16BE(2);
  if (family === AF_INET) {
    const host = address.subarray(4, 8);
    return isZero(host) || host.equals(IPV4) ? endpointOf("127.0.0.1", port, family, IPV4) : null;
  }
  const host = address.subarray(8, 24);
  if (isZero(host)) return endpointOf(wildcard === MAPPED ? "127.0.0.1" : "::1", port, family, wildcard);
  if (host.equals(IPV6)) return endpointOf("::1", port, family, IPV6);
  const mapped = host.subarray(12);
  const isMapped = host.subarray(0, 12).equals(MAPPED_PREFIX) && (isZero(mapped) || mapped.equals(IPV4));
  return isMapped ? endpointOf("127.0.0.1", port, family, MAPPED) : null;
}

/** With an address of its own, so that nothing else that was given, such as a scope, reaches the kernel. */
function endpointOf(host: Loopback, port: number, family: number, bytes: Buffer): Endpoint {
  const address = Buffer.alloc(family === AF_INET ? LENGTHS[AF_INET] : INET6_BYTES);
  address.writeUInt16LE(family, 0);
  address.writeUInt16BE(port, 2);
  bytes.copy(address, family === AF_INET ? 4 : 8);
  return { host, port, address };
}

const isZero = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0);
