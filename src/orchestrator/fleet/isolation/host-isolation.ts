import { type EngineIsolation, NOT_ISOLATED } from "../../../contract/engine/launch-file.ts";
import type { Isolation, IsolationMode, IsolationPart } from "../../../contract/orchestrator/records.ts";
import { LANDLOCK, landlockAbi, seccompProblem, socketSupervisionProblem } from "../../../sandbox/rights.ts";
import { type EngineUserTrial, type Missing, engineUserProblem } from "./engine-user-trial.ts";

/** The isolation that engines of this host get. */
export interface HostIsolation {
  /** For operators, without the part `limits`, which the backend reports. */
  readonly report: Isolation;
  /** For the launch file. */
  readonly launch: EngineIsolation;
  /** Whether each engine runs as a user of its own. */
  readonly hasEngineUsers: boolean;
}

/** `ORCH_ISOLATION=require` on a host that lacks a part. The message names the parts and what would add them. */
class IsolationIncomplete extends Error {
  override readonly name = "IsolationIncomplete";
}

/** Finds out, once at start, which parts of the isolation this host allows. */
export async function assessIsolation({
  mode,
  read,
  trial,
}: {
  readonly mode: IsolationMode;
  readonly read: readonly string[];
  readonly trial: EngineUserTrial;
}): Promise<HostIsolation> {
  if (mode === "off") return notIsolated();
  const landlock = landlockAbi();
  const seccomp = seccompMissing();
  const user = await engineUserProblem(trial);
  const engine = landlockProblem(landlock);
  const tools = engine ?? seccomp;
  const sockets = tools ?? socketSupervisionProblem();
  const parts: IsolationPart[] = [
    part("engine", engine, { detail: `Landlock ABI ${landlock.abi}`, gap: signalGap(landlock.abi) }),
    part("user", user, { detail: `user ids ${trial.uids.min} to ${trial.uids.max}` }),
    part("tools", tools, { detail: `Landlock ABI ${landlock.abi} and seccomp`, gap: signalGap(landlock.abi) }),
    networkPart({ tools, sockets, abi: landlock.abi }),
  ];
  return {
    report: { mode, parts },
    launch: {
      engine: engine === null,
      tools: tools === null,
      sockets: sockets === null,
      required: mode === "require",
      read,
    },
    hasEngineUsers: user === null,
  };
}

/** Throws {@link IsolationIncomplete} when `require` cannot be kept. The part `user` is needed only of root. */
export function assertRequired({ mode, parts }: Isolation, { isRoot }: { readonly isRoot: boolean }): void {
  if (mode !== "require") return;
  const needed = isRoot ? ["engine", "user", "tools"] : ["engine", "tools"];
  const missing = parts.filter(({ name, active }) => needed.includes(name) && !active);
  if (missing.length === 0) return;
  const lines = missing.map(({ name, problem, fix }) => `  ${name}: ${problem ?? "inactive"}; ${fix ?? ""}`);
  throw new IsolationIncomplete(
    ["ORCH_ISOLATION=require, and this host lacks a part of the isolation:", ...lines].join("\n"),
  );
}

function notIsolated(): HostIsolation {
  const off = { problem: "ORCH_ISOLATION is off", fix: "set ORCH_ISOLATION to auto" };
  const parts = (["engine", "user", "tools", "network"] as const).map((name) => part(name, off, {}));
  return {
    report: { mode: "off", parts },
    launch: NOT_ISOLATED,
    hasEngineUsers: false,
  };
}

/** An active part may still have a gap. */
const part = (
  name: IsolationPart["name"],
  missing: Missing | null,
  { detail = null, gap = null }: { readonly detail?: string | null; readonly gap?: Missing | null },
): IsolationPart => ({
  name,
  active: missing === null,
  problem: (missing ?? gap)?.problem ?? null,
  fix: (missing ?? gap)?.fix ?? null,
  detail: missing === null ? detail : null,
});

const landlockProblem = ({ problem }: ReturnType<typeof landlockAbi>): Missing | null =>
  problem === null
    ? null
    : {
        problem,
        fix: "use Linux 5.13 or newer with landlock in its lsm= list, the Node.js 26 of orchd's packages, and a container that allows the landlock system calls",
      };

const signalGap = (abi: number): Missing | null =>
  abi >= LANDLOCK.scopeAbi
    ? null
    : {
        problem: `the kernel's Landlock (ABI ${abi}) does not keep signals and abstract sockets inside`,
        fix: "use Linux 6.12 or newer",
      };

function networkPart({
  tools,
  sockets,
  abi,
}: {
  readonly tools: Missing | null;
  readonly sockets: Missing | null;
  readonly abi: number;
}): IsolationPart {
  const missing = tools && { problem: "tools are not confined", fix: tools.fix };
  const detail = "the engine makes the connections of its tools: to its proxy, and to tool_listen on loopback";
  return part("network", missing, sockets === null ? { detail } : { gap: hostsGap(sockets, abi) });
}

/** Without rules for TCP, tools get no network at all: it would include the daemon and the neighbours. */
function hostsGap({ problem, fix }: Missing, abi: number): Missing {
  const kept =
    abi >= LANDLOCK.networkAbi
      ? "tool_network is kept by port only: tools reach other hosts on the port of the engine's proxy and on ports of tool_listen"
      : `tools have no network: Landlock ABI ${abi} has no rules for TCP`;
  return { problem: `${kept}; ${problem}`, fix };
}

function seccompMissing(): Missing | null {
  const problem = seccompProblem();
  const fix = "use a kernel with CONFIG_SECCOMP_FILTER, and a container that allows the seccomp system call";
  return problem === null ? null : { problem, fix };
}
