import { connect } from "node:net";
import { delay } from "../../../shared/clock.ts";

const POLL_MS = 100;
const CONNECT_MS = 1000;

/** Whether an address stops accepting connections within this time. */
export async function isAddressUnreachable(address: string, withinMs: number): Promise<boolean> {
  const { hostname, port } = new URL(address);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  for (const end = performance.now() + withinMs; performance.now() < end; await delay(POLL_MS))
    if (!(await accepts(host, Number(port)))) return true;
  return false;
}

const accepts = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_MS });
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => settle(true));
    socket.once("timeout", () => settle(false));
    socket.once("error", () => settle(false));
  });
