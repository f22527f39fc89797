import { connect } from "node:net";
import { delay } from "../../../shared/clock.ts";

const POLL_MS = 100;
const CONNECT_MS = 1000;

/** Whether nothing accepts connections at an address any more, within this time. */
export async function isAddressSilent(address: string, withinMs: number): Promise<boolean> {
  const { hostname, port } = new URL(address);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  for (const end = performance.now() + withinMs; performance.now() < end; await delay(POLL_MS))
    if (!(await accepts(host, Number(port)))) return true;
  return false;
}

const accepts = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_MS });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => end(true));
    socket.once("timeout", () => end(false));
    socket.once("error", () => end(false));
  });
