import { LANDLOCK, landlockAbi } from "./landlock/landlock.ts";
import { seccompProblem } from "./seccomp/seccomp.ts";
import { socketSupervisionProblem } from "./sockets/supervision-problem.ts";

/** For each kind of rule why this host cannot keep it, or null where it can. */
export interface SandboxReport {
  /** `read` and `write` */
  readonly files: string | null;
  /** `connect` and `listen` by port */
  readonly ports: string | null;
  /** `connect` by host. Otherwise `runConfined` limits its programs by port. */
  readonly hosts: string | null;
  /** Signals and abstract sockets stay within. */
  readonly signals: string | null;
  readonly systemCalls: string | null;
}

/** What this host can confine by, found by trying. It changes nothing. */
export function report(): SandboxReport {
  const { abi, problem } = landlockAbi();
  const since = (version: number, linux: string) =>
    problem ?? (abi >= version ? null : `the kernel has Landlock ABI ${abi}; Linux ${linux} or newer has ${version}`);
  const systemCalls = seccompProblem();
  return {
    files: problem,
    ports: since(LANDLOCK.networkAbi, "6.7"),
    hosts: problem ?? systemCalls ?? socketSupervisionProblem()?.problem ?? null,
    signals: since(LANDLOCK.scopeAbi, "6.12"),
    systemCalls,
  };
}
