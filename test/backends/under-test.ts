import type { Test } from "tap";
import type { EngineHandle } from "../../src/contract/orchestrator/engine-handle.ts";
import type {
  EngineBackend,
  EngineParameters,
  EngineProcess,
  Incarnation,
  LaunchOrder,
} from "../../src/orchestrator/fleet/engine-backend.ts";
import type { StoredEngine } from "../../src/orchestrator/fleet/engine-storage.ts";
import { type BootVerdict, awaitHealthy } from "../../src/orchestrator/engine-calls/health-probe.ts";

/** A backend with what the cases must do behind its back. Its engines are the fixtures named after their user, up to a dot. */
export interface BackendUnderTest {
  /** A daemon of the deployment. */
  readonly backend: EngineBackend;
  /** Another daemon of the same deployment. */
  laterDaemon(): EngineBackend;
  /** A daemon of another deployment on the same machine. */
  otherDeployment(): EngineBackend;
  /** A daemon that cannot start its engines' program. */
  brokenDaemon(): EngineBackend;
  order(user?: string, more?: Partial<EngineParameters>): Promise<LaunchOrder>;
  /** Launches from a daemon that is killed once the engine is healthy. */
  launchAndDie(order: LaunchOrder): Promise<EngineHandle>;
  /** How many processes of an incarnation run, as others see it. */
  running(order: LaunchOrder): Promise<number>;
  /** What others can read of a process: its arguments, its environment, its specification. */
  visible(process: EngineProcess): Promise<string>;
  /** Whether the secrets that were handed over still lie somewhere. */
  holdsSecrets(order: LaunchOrder): Promise<boolean>;
  /** SIGKILL for the engine's process. */
  kill(process: EngineProcess): Promise<void>;
  /** The handle as it was made before a restart of the machine. Null where engines outlive one. */
  ofEarlierBoot(handle: EngineHandle): EngineHandle | null;
  /** Whether a limit of memory holds for an engine. */
  readonly limitsMemory: boolean;
  /** Whether calls can wait for an engine without a process. */
  readonly holdsSockets: boolean;
  /** Whether engines listen on the ports of their records, on this host. */
  readonly takesHostPorts: boolean;
  /** Whether starts and exits are seen at once, and not in reports that come later and may miss the last state. */
  readonly reportsAtOnce: boolean;
  /** Whether what engines use can be told here. */
  readonly reportsUsage: boolean;
  /** Whether the files of engines can be read for a backup. */
  readonly readsStorage: boolean;
}

export const CONTROL_TOKEN = "control-token-of-the-test";
export const PROVIDER_KEY = "provider-key-of-the-test";
export const GONE = { kind: "gone", cause: "exit" } as const;

export const incarnationOf = ({ launch, uid }: LaunchOrder): Incarnation => ({
  id: launch.incarnation,
  engineId: launch.engine_id,
  port: launch.port,
  uid,
});

export const storedOf = ({ launch, owner }: Pick<LaunchOrder, "launch" | "owner">): StoredEngine => ({
  id: launch.engine_id,
  ...owner,
});

export const nextOf = (order: LaunchOrder, incarnation: string): LaunchOrder => ({
  ...order,
  launch: { ...order.launch, incarnation },
});

export function healthy(order: LaunchOrder, { address: url, exited }: EngineProcess): Promise<BootVerdict> {
  const { engine_id: engineId, incarnation } = order.launch;
  return awaitHealthy({ url, engineId, incarnation, exited, deadlineMs: 30_000, signal: new AbortController().signal });
}

export interface Started {
  readonly order: LaunchOrder;
  readonly process: EngineProcess;
}

/** Launches without waiting. At the end of the test nothing of the engine is left. */
export async function launched(
  t: Test,
  { backend }: Pick<BackendUnderTest, "backend">,
  order: LaunchOrder,
): Promise<EngineProcess> {
  t.teardown(() => clear(backend, order));
  return backend.launch(order);
}

/** An engine that is healthy and settled. */
export async function started(t: Test, under: BackendUnderTest, given?: LaunchOrder): Promise<Started> {
  const order = given ?? (await under.order());
  const process = await launched(t, under, order);
  const verdict = await healthy(order, process);
  if (verdict.kind !== "healthy") throw new Error(`the engine is not healthy: ${JSON.stringify(verdict)}`);
  await process.settle();
  return { order, process };
}

export async function clear(backend: EngineBackend, order: LaunchOrder): Promise<void> {
  await backend.endOrphans(incarnationOf(order));
  backend.sockets.release(order.launch.engine_id);
  await backend.storage.erase(storedOf(order));
}

/** The running process of a handle, for a later daemon. */
export async function attached(
  backend: EngineBackend,
  order: LaunchOrder,
  handle: EngineHandle | null,
): Promise<EngineProcess> {
  const found = await backend.attach(incarnationOf(order), handle);
  if (found.kind !== "running") throw new Error(`the engine is ${found.kind}`);
  return found.process;
}

/** Asks the engine for a deed. */
export async function ask(process: EngineProcess, deed: string, how: Record<string, string> = {}): Promise<unknown> {
  const answer = await fetch(`${process.address}/do/${deed}?${new URLSearchParams(how).toString()}`, {
    signal: AbortSignal.timeout(20_000),
  });
  return answer.json();
}

/** Asks for a deed that the engine may not live to answer. */
export async function tell(process: EngineProcess, deed: string, how: Record<string, string> = {}): Promise<void> {
  await ask(process, deed, how).catch(() => undefined);
}
