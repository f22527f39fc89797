import type { LookupAddress } from "node:dns";
import { type LookupFunction, type Socket, connect } from "node:net";

const CONNECT_TIMEOUT_MS = 15_000;
/** Time for one address of several. */
const ATTEMPT_TIMEOUT_MS = 3000;

/** Where a program is to be connected to. */
export interface OutsideTarget {
  readonly host: string;
  readonly port: number;
  /** Checked for this connection. */
  readonly addresses: readonly LookupAddress[];
}

/** Opens a TCP connection to one of the checked addresses. Rejects with the system's error. */
export function connectTo(host: string, port: number, addresses: readonly LookupAddress[]): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port,
      lookup: fixedLookup(addresses),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT_MS,
      allowHalfOpen: true,
      noDelay: true,
    });
    const late = Object.assign(new Error("the connection timed out"), { code: "ETIMEDOUT" });
    const timer = setTimeout(() => socket.destroy(late), CONNECT_TIMEOUT_MS);
    socket.once("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    socket.once("connect", () => {
      clearTimeout(timer);
      resolve(socket);
    });
  });
}

/** A `lookup` with a fixed result. */
export function fixedLookup(addresses: readonly LookupAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    const [first] = addresses;
    if (options.all || first === undefined) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}

/** Joins two connections until both have ended. What one still has to send is sent when the other closes. */
export function joinSockets(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on("error", () => from.destroy());
    from.once("close", () => to.destroySoon());
    from.pipe(to);
  }
}
