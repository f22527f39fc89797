import { writeSync } from "node:fs";
import { SPARE_CHANNEL, SPARE_READY, type SpareClaim, decodeClaim } from "../../contract/engine/spare.ts";
import { replaceInOwnStrings, setDumpable } from "../../sandbox/rights.ts";
import { callNative, closeDescriptor, receiveMessage, type SocketMessage } from "../../sandbox/sockets.ts";

const STDOUT = 1;
const STDERR = 2;

/**
 * Waits, as a process without an owner, until the daemon claims it for an engine, and becomes the process that a launch
 * of this engine would have started. Returns what the launch file would contain. Null when the daemon is gone: then the
 * process has nothing to do. It blocks the thread: the thread pool has not run, so that no thread stays outside the
 * confinement, which follows.
 */
export function awaitClaim(sparePath: string): string | null {
  writeSync(STDOUT, SPARE_READY);
  const message = receiveMessage(SPARE_CHANNEL);
  if (message === null) return null;
  const claim = decodeClaim(message.data);
  takeDescriptors(message);
  // From here on, a later daemon finds this process by its incarnation.
  if (replaceInOwnStrings(sparePath, claim.launch_file) < 2)
    throw new Error("failed to replace the launch file's path in this process's own arguments and environment");
  process.argv = process.argv.map((argument) => (argument === sparePath ? claim.launch_file : argument));
  becomeOwner(claim);
  process.chdir(claim.folder);
  return claim.launch;
}

/** The log, and the socket that replaces the channel: nothing can be sent to this process a second time. */
function takeDescriptors({ descriptors }: SocketMessage): void {
  const [log, listener] = descriptors;
  if (log === undefined || listener === undefined) throw new Error("the claim lacks a descriptor");
  callNative("dup2", [log, STDOUT]);
  callNative("dup2", [log, STDERR]);
  callNative("dup2", [listener, SPARE_CHANNEL]);
  for (const descriptor of [log, listener]) closeDescriptor(descriptor);
}

/** As the daemon does for a program that it starts as another user. */
function becomeOwner({ owner }: SpareClaim): void {
  if (owner === null) return;
  process.setgroups?.([]);
  process.setgid?.(owner.gid);
  process.setuid?.(owner.uid);
  // A change of users withdraws it, and the daemon proves the identity of the process from its entries in /proc.
  setDumpable();
}
