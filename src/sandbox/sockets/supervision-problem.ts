import { readFileSync } from "node:fs";
import { hasCode } from "../system/error-code.ts";
import { canCopyDescriptors, canReadMemory } from "../processes/other-process.ts";
import { supervisionProblem } from "../seccomp/seccomp.ts";

/** From 2 on, only a process with capabilities may copy a descriptor of its child. */
const FIRST_CLOSED_SCOPE = 2;
const SCOPE_FILE = "/proc/sys/kernel/yama/ptrace_scope";

/** Why a process without capabilities cannot carry out `connect`, `bind` and `listen` of its programs. Null when it can. */
export function socketSupervisionProblem(): { readonly problem: string; readonly fix: string } | null {
  const problem = supervisionProblem();
  if (problem !== null) return { problem, fix: "use Linux 5.9 or newer" };
  const scope = yamaScope();
  if (scope >= FIRST_CLOSED_SCOPE)
    return { problem: `${SCOPE_FILE} is ${scope}`, fix: "sysctl -w kernel.yama.ptrace_scope=1" };
  const refused = [...(canCopyDescriptors() ? [] : ["pidfd_getfd"]), ...(canReadMemory() ? [] : ["process_vm_readv"])];
  if (refused.length === 0) return null;
  return {
    problem: `${refused.join(" and ")} is refused here, perhaps by a container's seccomp profile`,
    fix: "use Linux 5.9 or newer, and give the container --cap-add SYS_PTRACE, which opens these calls in its seccomp profile",
  };
}

/** 0 without Yama. */
function yamaScope(): number {
  try {
    return Number(readFileSync(SCOPE_FILE, "utf8"));
  } catch (error) {
    if (hasCode(error, "ENOENT", "EACCES")) return 0;
    throw error;
  }
}
