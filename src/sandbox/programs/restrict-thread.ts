import { LANDLOCK, landlockAbi, restrictSelf } from "../landlock/landlock.ts";
import { threadId } from "../processes/process-limits.ts";
import { installSeccompFilter } from "../seccomp/seccomp.ts";
import { programFileRules } from "./program-files.ts";
import { programCallRules } from "../seccomp/system-call-rules.ts";

export interface ThreadRules {
  /** Absolute paths of files and folders, besides the system's. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** The port of the proxy on loopback, the only way of programs to the network. Null without network. */
  readonly proxyPort: number | null;
  /** TCP ports on loopback on which programs may listen, and to which they may connect. */
  readonly listen: readonly number[];
  /** A supervisor carries out `connect`, `bind` and `listen`. Otherwise the kernel knows their ports, not their hosts. */
  readonly supervised: boolean;
  /** The process that starts the programs. */
  readonly ownPid: number;
  /** Others than this process run programs as the same user, which could watch each other's folders. */
  readonly sharedUser: boolean;
}

/**
 * Confines the calling thread and the programs that it starts. Other threads keep their rights. Returns the
 * listener of supervised sockets, or null. Throws when the kernel refuses; the thread must then not start a program.
 */
export function restrictThread(sandbox: ThreadRules): number | null {
  const { read, write, proxyPort, listen, supervised, ownPid, sharedUser } = sandbox;
  const { abi } = landlockAbi();
  const connect = proxyPort === null ? listen : [...listen, proxyPort];
  // The supervisor is not in this domain, whose programs connect and bind nothing themselves.
  const ports = supervised ? { bind: [], connect: [] } : { bind: listen, connect };
  restrictSelf({ ...programFileRules({ read, write }), ...ports });
  return installSeccompFilter(
    programCallRules({
      tcp: (supervised || abi >= LANDLOCK.networkAbi) && connect.length > 0,
      listen: listen.length > 0,
      supervised,
      truncateIsLimited: abi >= LANDLOCK.truncateAbi,
      ownPid,
      sharedUser,
      launchThread: threadId(),
    }),
  );
}
