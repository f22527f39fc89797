import { type FilterRule, flagged } from "./seccomp.ts";

const EACCES = 13;
const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const SOCK_STREAM = 1;
const SOCK_SEQPACKET = 5;
const SOCKET_TYPE_MASK = 0xf;
const IPPROTO_IP = 0;
const IPPROTO_TCP = 6;
const IPPROTO_IPV6 = 41;
const NETLINK_ROUTE = 0;
const MSG_FASTOPEN = 0x2000_0000;
const ENOPROTOOPT = 92;
const SOL_SOCKET = 1;
const SO_LINGER = 13;
/** A connection to loopback would leave by another device, and reach the machines of its network. */
const DEVICES = { SO_BINDTODEVICE: 25, SO_BINDTOIFINDEX: 62 };
/** Options of TCP sockets that no program needs. */
const TCP_OPTIONS = {
  /** Turns a socket into one of SMC, whose ports Landlock does not see. */
  TCP_ULP: 31,
  /** The first write connects, instead of `connect`. */
  TCP_FASTOPEN_CONNECT: 30,
  /** Sets the peer of a socket. */
  TCP_REPAIR: 19,
};
/** A source route: packets for an allowed address go to another host first. Then the device, as in {@link DEVICES}. */
const IP_ROUTES = { IP_OPTIONS: 4, IP_UNICAST_IF: 50 };
/** The same of IPv6, and the option that sets a source route by a control message. */
const IPV6_ROUTES = { IPV6_RTHDR: 57, IPV6_2292PKTOPTIONS: 6, IPV6_UNICAST_IF: 76 };

export interface SocketCallRules {
  /** TCP sockets. Without a supervisor and without Landlock's ports there is none. */
  readonly tcp: boolean;
  readonly listen: boolean;
  /**
   * A supervisor carries out `connect`, `bind`, `listen` and the option SO_LINGER. Otherwise Landlock limits the first two,
   * by port alone.
   */
  readonly supervised: boolean;
}

/**
 * The supervisor and Landlock limit TCP alone: no UDP, raw, SCTP or Multipath TCP. A Unix socket, such as that of D-Bus or
 * Docker, would start programs outside of the domain. A socket pair reaches no other process, except a pair of datagram
 * sockets, which can send to any socket.
 */
export function socketCallRules({ tcp, listen, supervised }: SocketCallRules): readonly FilterRule[] {
  const protocols = [0, IPPROTO_TCP];
  const tcpSocket = [
    { argument: 0, equals: [AF_INET, AF_INET6] },
    { argument: 1, mask: SOCKET_TYPE_MASK, equals: [SOCK_STREAM] },
    { argument: 2, equals: protocols },
  ] as const;
  const routes = [
    { argument: 0, equals: [AF_NETLINK] },
    { argument: 2, equals: [NETLINK_ROUTE] },
  ] as const;
  const pair = [
    { argument: 0, equals: [AF_UNIX] },
    { argument: 1, mask: SOCKET_TYPE_MASK, equals: [SOCK_STREAM, SOCK_SEQPACKET] },
  ] as const;
  const linger = [
    { argument: 1, equals: [SOL_SOCKET] },
    { argument: 2, equals: [SO_LINGER] },
  ] as const;
  return [
    { calls: ["socket"], refuse: { unless: tcp ? [tcpSocket, routes] : [routes] }, errno: EACCES },
    { calls: ["socketpair"], refuse: { unless: [pair] }, errno: EACCES },
    ...(supervised ? [{ calls: ["connect", "bind"], supervise: "always" } as const] : []),
    ...(supervised ? [{ calls: ["setsockopt"], supervise: { when: [linger] } } as const] : []),
    // A listener without a bind gets a port that Landlock does not check.
    ...(listen ? [] : [{ calls: ["listen"], refuse: "always", errno: EACCES } as const]),
    ...(listen && supervised ? [{ calls: ["listen"], supervise: "always" } as const] : []),
    {
      calls: ["setsockopt"],
      refuse: {
        when: [
          [
            { argument: 1, equals: [SOL_SOCKET] },
            { argument: 2, equals: Object.values(DEVICES) },
          ],
          [
            { argument: 1, equals: [IPPROTO_TCP] },
            { argument: 2, equals: Object.values(TCP_OPTIONS) },
          ],
          [
            { argument: 1, equals: [IPPROTO_IP] },
            { argument: 2, equals: Object.values(IP_ROUTES) },
          ],
          [
            { argument: 1, equals: [IPPROTO_IPV6] },
            { argument: 2, equals: Object.values(IPV6_ROUTES) },
          ],
        ],
      },
      errno: ENOPROTOOPT,
    },
    // TCP Fast Open connects without the check of `connect`.
    { calls: ["sendto"], refuse: { when: [flagged(3, MSG_FASTOPEN)] } },
    { calls: ["sendmsg"], refuse: { when: [flagged(2, MSG_FASTOPEN)] } },
    { calls: ["sendmmsg"], refuse: { when: [flagged(3, MSG_FASTOPEN)] } },
  ];
}
