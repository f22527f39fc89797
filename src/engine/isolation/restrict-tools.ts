import { LANDLOCK, landlockAbi, restrictSelf } from "../../shared/linux/landlock.ts";
import { threadId } from "../../shared/linux/process-limits.ts";
import { installSeccompFilter } from "../../shared/linux/seccomp.ts";
import { toolFileRules } from "./file-rules.ts";
import { toolCallRules } from "./system-call-rules.ts";

export interface ToolSandbox {
  /** Absolute paths of files and folders, besides the system's. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** The port of the engine's proxy on loopback, the tools' only way to the network. Null without network. */
  readonly proxyPort: number | null;
  /** TCP ports on which tools may listen, and to which they may connect. */
  readonly listen: readonly number[];
  readonly enginePid: number;
  /** Other engines run as the same user, which may watch their folders. */
  readonly sharedUser: boolean;
}

/**
 * Confines the calling thread and the programs that it starts. The engine's other threads keep their rights. Throws when
 * the kernel refuses; the thread must then not start a program.
 */
export function restrictTools({ read, write, proxyPort, listen, enginePid, sharedUser }: ToolSandbox): void {
  const { abi } = landlockAbi();
  const connect = proxyPort === null ? listen : [...listen, proxyPort];
  restrictSelf({ ...toolFileRules({ read, write }), bind: listen, connect });
  installSeccompFilter(
    toolCallRules({
      tcp: abi >= LANDLOCK.networkAbi && connect.length > 0,
      listen: listen.length > 0,
      truncateIsLimited: abi >= LANDLOCK.truncateAbi,
      enginePid,
      sharedUser,
      toolThread: threadId(),
    }),
  );
}
