import { execFileSync, spawnSync } from "node:child_process";
import type { Test } from "tap";

const BRIDGE = "docker0";
const NEW_TCP = ["-i", BRIDGE, "-p", "tcp", "-m", "conntrack", "--ctstate", "NEW"];

/** Why {@link closeBridge} cannot be used here, or null. */
export const missingForClosedBridge = (): string | null =>
  spawnSync("iptables", ["-S", "INPUT"]).status === 0 ? null : "no right to iptables";

/**
 * Does what a NetworkPolicy does where the cluster's network enforces none: containers of the bridge connect to this machine's
 * `port` and to nothing else, neither here nor outside. Opens it again at the end of the test.
 */
export function closeBridge(t: Test, port: number): void {
  const rules = [
    ["INPUT", ...NEW_TCP, "-m", "tcp", "!", "--dport", String(port), "-j", "REJECT"],
    ["FORWARD", ...NEW_TCP, "-j", "REJECT"],
  ];
  for (const [chain = "", ...rule] of rules) {
    execFileSync("iptables", ["-I", chain, "1", ...rule]);
    t.teardown(() => void spawnSync("iptables", ["-D", chain, ...rule]));
  }
}
