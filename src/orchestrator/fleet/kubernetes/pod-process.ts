import { connect } from "node:net";
import { inBackground } from "../../../shared/background.ts";
import { delay } from "../../../shared/clock.ts";
import { Deadline } from "../../../shared/deadline.ts";
import type { EngineHandle } from "../../../contract/orchestrator/engine-handle.ts";
import { SharedStop, exitsBefore, exitsWithin } from "../containers/shared-stop.ts";
import type { EngineExit, EngineProcess, StopOutcome } from "../engine-backend.ts";
import type { EnginePod, PodLogs } from "./pod-logs.ts";
import { type Pod, stateOf } from "./pod-state.ts";
import type { PodChanges, PodWatch } from "./pod-watch.ts";
import type { PodIdentity, Pods } from "./pods.ts";

const RETRY_MS = 1000;
/** How long after the grace period the kubelet may take to report that an engine has exited. */
const KILL_WAIT_MS = 10_000;
const UNREACHABLE_WITHIN_MS = 10_000;
const UNREACHABLE_POLL_MS = 100;
const CONNECT_MS = 1000;
const KEEP_LOG_MS = 10_000;
const EMPTY_RETRY_MS = 5000;
/** The cause of an exit when orchd did not delete the pod itself. */
const DELETED = "its pod was deleted or evicted";

interface PodProcessParts {
  readonly pod: EnginePod;
  readonly handle: EngineHandle;
  readonly address: string;
  readonly pods: Pods;
  readonly watch: PodWatch;
  readonly logs: PodLogs;
}

/** An engine's process in a pod. After its exit the pod is deleted, and the claim keeps the last lines of its log. */
export class PodProcess implements EngineProcess {
  readonly handle: EngineHandle;
  readonly address: string;
  readonly exited: Promise<EngineExit>;
  readonly spare = null;
  readonly pod: PodProcessParts["pod"];
  readonly #parts: PodProcessParts;
  readonly #cleared: Promise<void>;
  #log: Promise<void> | null = null;
  readonly #logEnd = new AbortController();
  #isStopping = false;
  #hasExited = false;
  readonly #stop = new SharedStop((termMs, forceKill) => this.#end(Math.max(1, Math.ceil(termMs / 1000)), forceKill));

  constructor(parts: PodProcessParts) {
    this.#parts = parts;
    this.pod = parts.pod;
    this.handle = parts.handle;
    this.address = parts.address;
    this.exited = this.#awaitExit();
    this.#cleared = this.exited.then(() => this.#clear());
  }

  stop(termMs: number): Promise<StopOutcome> {
    return this.#stop.run(termMs);
  }

  /** Retries while the API does not answer, until the pod has ended: its secret is deleted with it. */
  async settle(): Promise<void> {
    const empty = () => this.#parts.pods.emptySecret(this.pod.name);
    await empty().catch(() => inBackground("removal of a secret", this.#retryEmpty(empty)));
  }

  async #retryEmpty(empty: () => Promise<void>): Promise<void> {
    while (!this.#hasExited && (await delay(EMPTY_RETRY_MS))) {
      const isEmpty = await empty().then(
        () => true,
        () => false,
      );
      if (isEmpty) return;
    }
  }

  /**
   * SIGTERM, then SIGKILL by the kubelet. Last, the pod's object is deleted by force, only while its node is ready: the
   * kubelet then kills what still runs.
   */
  async #end(graceS: number, forceKill: AbortSignal): Promise<StopOutcome> {
    const { pods } = this.#parts;
    if (this.#hasExited) return this.#ended("exited");
    this.#isStopping = true;
    this.#keepLog();
    try {
      await pods.delete(this.pod, graceS);
      if (await exitsBefore(this.exited, forceKill)) return await this.#ended("exited");
      // Kubelets since 1.22 shorten the grace period of a terminating pod.
      await pods.delete(this.pod, 1);
      if (await exitsWithin(this.exited, KILL_WAIT_MS)) return await this.#ended("killed");
      const { nodeName } = (await pods.find(this.pod.name))?.spec ?? {};
      if (nodeName === undefined || (await pods.node(nodeName)) !== "ready")
        return podSurvived(this.pod, "its node does not report that it has ended");
      await pods.delete(this.pod, 0);
      if (!(await isAddressUnreachable(this.address, UNREACHABLE_WITHIN_MS)))
        return podSurvived(this.pod, "it still answers although its pod was deleted");
      await exitsWithin(this.exited, KILL_WAIT_MS);
      return { kind: "killed" };
    } catch (error) {
      return podSurvived(this.pod, error instanceof Error ? error.message : "the Kubernetes API does not answer");
    }
  }

  /** `unseen`: the outcome when the pod was deleted before its exit code could be read. */
  async #ended(unseen: "exited" | "killed"): Promise<StopOutcome> {
    const { code, signal } = await this.exited;
    await this.#cleared;
    if (code === null && signal === null) return { kind: unseen };
    return { kind: signal === "SIGKILL" ? "killed" : "exited" };
  }

  async #awaitExit(): Promise<EngineExit> {
    const { pods, watch } = this.#parts;
    using changes = watch.follow(this.pod.uid);
    for (;;) {
      try {
        const exit = exitOf(await pods.find(this.pod.name), this.pod, changes);
        if (exit !== null) return this.#ofExit(exit);
        await changes.next();
      } catch {
        await delay(RETRY_MS);
      }
    }
  }

  #ofExit({ host, ...exit }: EngineExit): EngineExit {
    this.#hasExited = true;
    return this.#isStopping || host === undefined ? exit : { ...exit, host };
  }

  #keepLog(): void {
    this.#log ??= this.#parts.logs.keep(this.pod, this.#logEnd.signal).catch(() => undefined);
  }

  async #clear(): Promise<void> {
    this.#keepLog();
    const timer = setTimeout(() => this.#logEnd.abort(), KEEP_LOG_MS);
    await this.#log;
    clearTimeout(timer);
    // A pod that cannot be deleted now is deleted before the engine's next start.
    await this.#parts.pods.delete(this.pod, 1).catch(() => undefined);
  }
}

/** Null while it runs. Only a read of the API proves that a pod does not exist; a watch may miss events. */
function exitOf(found: Pod | null, { uid }: PodIdentity, { latest }: PodChanges): EngineExit | null {
  const isThere = found?.metadata.uid === uid;
  const pod = isThere ? found : latest;
  const state = pod === null ? null : stateOf(pod);
  const isDeleted = pod?.metadata.deletionTimestamp !== undefined;
  if (state?.kind === "ended") return isDeleted ? { host: DELETED, ...state.exit } : state.exit;
  return isThere ? null : { code: null, signal: null, oom: false, host: DELETED };
}

export const podSurvived = ({ name }: Pick<PodIdentity, "name">, reason: string): StopOutcome => ({
  kind: "survived",
  reason: `pod ${name}: ${reason}`,
  data: { pod: name },
});

/** Whether an address stops accepting connections within this time. */
async function isAddressUnreachable(address: string, withinMs: number): Promise<boolean> {
  const { hostname, port } = new URL(address);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  for (const end = new Deadline(withinMs); !end.isOver; await delay(UNREACHABLE_POLL_MS))
    if (!(await accepts(host, Number(port)))) return true;
  return false;
}

const accepts = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_MS });
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => settle(true));
    socket.once("timeout", () => settle(false));
    socket.once("error", () => settle(false));
  });
