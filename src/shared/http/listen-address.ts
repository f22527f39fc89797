import { hasCode } from "../error-code.ts";
import { endLostPeers, nativeProblem, openListener, socketAddress, SystemCallFailed } from "../../sandbox/sockets.ts";

export type ListenAddress = { readonly host: string; readonly port: number } | { readonly fd: number };

/** The default of Node.js. */
const BACKLOG = 511;

/** A socket whose connections end when their client is gone, where this host can make one. */
export function listening(address: ListenAddress): ListenAddress {
  if (nativeProblem() !== null) return address;
  if ("fd" in address) {
    endLostPeersOfTcp(address.fd);
    return address;
  }
  const at = socketAddress(address.host, address.port);
  if (at === null) return address;
  try {
    const fd = openListener(at, BACKLOG);
    endLostPeers(fd);
    return { fd };
  } catch (error) {
    // Node.js reports why it cannot listen.
    if (error instanceof SystemCallFailed) return address;
    throw error;
  }
}

/** Peers of a Unix socket cannot vanish. */
function endLostPeersOfTcp(fd: number): void {
  try {
    endLostPeers(fd);
  } catch (error) {
    if (!hasCode(error, "EOPNOTSUPP", "ENOPROTOOPT")) throw error;
  }
}
