import { dirname } from "node:path";
import type { BrokerOrder } from "../contract/broker/broker-order.ts";
import {
  DEVICES,
  ETC,
  KERNEL,
  PROGRAMS,
  dropCapabilities,
  landlockAbi,
  restrictSelf,
  setResourceLimit,
} from "../sandbox/rights.ts";
import { nativeProblem } from "../sandbox/sockets.ts";

const OPEN_FILES = 65_536;

/**
 * Confines this process before its first thread: it reads the system's files and its program, writes none, listens on no
 * other port, and holds no capabilities. No engine's folder and no file of the daemon is within its reach.
 */
export function confineBroker({ confine, extra_ca_certs, listen }: BrokerOrder): void {
  if (nativeProblem() !== null) return;
  // A core dump holds keys.
  setResourceLimit("core", 0, 0);
  raiseOpenFiles();
  dropCapabilities();
  if (!confine || landlockAbi().problem !== null) return;
  const program = dirname(process.argv[1] ?? "");
  restrictSelf({
    read: [
      ...PROGRAMS,
      ...ETC,
      ...KERNEL,
      process.execPath,
      program,
      ...(extra_ca_certs === null ? [] : [extra_ca_certs]),
    ],
    write: [...DEVICES],
    bind: "fd" in listen ? [] : [listen.port],
    connect: null,
  });
}

/** A hard limit of the host that is lower stays. */
function raiseOpenFiles(): void {
  try {
    setResourceLimit("nofile", OPEN_FILES, OPEN_FILES);
  } catch {
    // Node.js has raised the limit to the hard one by itself.
  }
}
