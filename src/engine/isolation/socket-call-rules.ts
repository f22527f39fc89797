import { type FilterRule, flagged } from "../../shared/linux/seccomp.ts";

const EACCES = 13;
const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const SOCK_STREAM = 1;
const SOCK_SEQPACKET = 5;
const SOCKET_TYPE_MASK = 0xf;
const IPPROTO_TCP = 6;
const NETLINK_ROUTE = 0;
const MSG_FASTOPEN = 0x2000_0000;

export interface SocketCallRules {
  /** TCP sockets, whose ports Landlock limits. Without Landlock's ports there is none. */
  readonly tcp: boolean;
  readonly listen: boolean;
}

/**
 * Landlock limits TCP alone: no UDP, raw, SCTP or Multipath TCP. A Unix socket, such as that of D-Bus or Docker, would
 * start programs outside of the domain. A socket pair reaches no other process, except a pair of
 * datagram sockets, which can send to any socket.
 */
export function socketCallRules({ tcp, listen }: SocketCallRules): readonly FilterRule[] {
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
  return [
    { calls: ["socket"], refuse: { unless: tcp ? [tcpSocket, routes] : [routes] }, errno: EACCES },
    { calls: ["socketpair"], refuse: { unless: [pair] }, errno: EACCES },
    // A listener without a bind gets a port that Landlock does not check.
    ...(listen ? [] : [{ calls: ["listen"], refuse: "always", errno: EACCES } as const]),
    // TCP Fast Open connects without the check of `connect`.
    { calls: ["sendto"], refuse: { when: [flagged(3, MSG_FASTOPEN)] } },
    { calls: ["sendmsg"], refuse: { when: [flagged(2, MSG_FASTOPEN)] } },
    { calls: ["sendmmsg"], refuse: { when: [flagged(3, MSG_FASTOPEN)] } },
  ];
}
