import { SOL_SOCKET, setOption } from "./listening-sockets.ts";

const SO_KEEPALIVE = 9;
const IPPROTO_TCP = 6;
const TCP_KEEPIDLE = 4;
const TCP_KEEPINTVL = 5;
const TCP_USER_TIMEOUT = 18;
/** With the 15 s between the heartbeats of a stream less than a minute. */
const LOST_PEER_MS = 40_000;
const KEEPALIVE_S = { idle: 15, interval: 5 };

/**
 * Ends the connections of a listening socket whose peer acknowledges nothing for some time, such as a client whose machine
 * or network is gone. By default the kernel repeats what was sent for a quarter of an hour. Accepted sockets inherit it.
 */
export function endLostPeers(descriptor: number, afterMs = LOST_PEER_MS): void {
  setOption(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, afterMs);
  // For connections on which nothing is sent.
  setOption(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1);
  setOption(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_S.idle);
  setOption(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_S.interval);
}
