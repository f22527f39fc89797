import type { Socket } from "node:net";
import { delay } from "../../../shared/clock.ts";
import type { EngineHandle } from "../../../contract/engine-handle.ts";
import { containerExit } from "../container-exit.ts";
import type { EngineExit, EngineProcess, StopOutcome } from "../engine-backend.ts";
import type { Containers } from "./containers.ts";
import { type DockerApi, DockerError } from "./docker-api.ts";

const RETRY_MS = 1000;
/** How long a container may take to exit after SIGKILL before it counts as a survivor. */
const KILL_WAIT_MS = 10_000;

/** The process of an engine in a container. Its init ends with it, and the kernel ends what else runs there. */
export class ContainerProcess implements EngineProcess {
  readonly handle: EngineHandle;
  readonly address: string;
  readonly exited: Promise<EngineExit>;
  readonly id: string;
  readonly #api: DockerApi;
  readonly #input: Socket | null;
  #hurry = new AbortController();
  #ending: Promise<StopOutcome> | undefined;

  constructor({
    id,
    handle,
    address,
    api,
    containers,
    input,
  }: {
    readonly id: string;
    readonly handle: EngineHandle;
    readonly address: string;
    readonly api: DockerApi;
    readonly containers: Containers;
    /** What the launch file was written to. Null for an engine of an earlier daemon. */
    readonly input: Socket | null;
  }) {
    this.id = id;
    this.handle = handle;
    this.address = address;
    this.#api = api;
    this.#input = input;
    this.exited = awaitExit(id, { api, containers });
    void this.exited.then(() => this.settle());
  }

  /** A second caller joins the running stop. The shorter `termMs` applies. */
  async stop(termMs: number): Promise<StopOutcome> {
    const hurry = this.#hurry;
    const timer = setTimeout(() => hurry.abort(), termMs);
    try {
      this.#ending ??= this.#end(hurry.signal);
      const outcome = await this.#ending;
      if (outcome.kind === "survived") this.#tryAgain();
      return outcome;
    } finally {
      clearTimeout(timer);
    }
  }

  /** The engine has read the launch file from its standard input: nothing is left of it. */
  async settle(): Promise<void> {
    this.#input?.destroy();
  }

  #tryAgain(): void {
    this.#ending = undefined;
    this.#hurry = new AbortController();
  }

  async #end(hurry: AbortSignal): Promise<StopOutcome> {
    try {
      if (!(await sendSignal(this.#api, this.id, "SIGTERM"))) return await this.#exitedWithin("exited");
      const exited = await Promise.race([this.exited.then(() => true), aborted(hurry)]);
      if (exited) return { kind: "exited" };
      await sendSignal(this.#api, this.id, "SIGKILL");
      return await this.#exitedWithin("killed");
    } catch (error) {
      return survived(this.id, error instanceof Error ? error.message : "the Docker engine does not answer");
    }
  }

  async #exitedWithin(kind: "exited" | "killed"): Promise<StopOutcome> {
    const waited = new AbortController();
    const exited = await Promise.race([
      this.exited.then(() => true),
      delay(KILL_WAIT_MS, waited.signal).then(() => false),
    ]);
    waited.abort();
    return exited ? { kind } : survived(this.id, `container ${this.id.slice(0, 12)} survived SIGKILL`);
  }
}

export const survived = (id: string, reason: string): StopOutcome => ({
  kind: "survived",
  reason,
  data: { container: id },
});

/** False when the container does not run. */
export async function sendSignal(api: DockerApi, id: string, signal: "SIGTERM" | "SIGKILL"): Promise<boolean> {
  try {
    await api.call("POST", `/containers/${id}/kill`, { query: { signal } });
    return true;
  } catch (error) {
    if (error instanceof DockerError && (error.status === 404 || error.status === 409)) return false;
    throw error;
  }
}

/** What the wait tells is only a hint: it may be cut off. The state of the container is the truth. */
async function awaitExit(
  id: string,
  { api, containers }: { readonly api: DockerApi; readonly containers: Containers },
): Promise<EngineExit> {
  for (;;) {
    try {
      await api.call("POST", `/containers/${id}/wait`, { query: { condition: "not-running" }, timeoutMs: null });
      const state = await containers.inspect(id);
      if (!state.isRunning) return containerExit(state);
    } catch (error) {
      if (error instanceof DockerError && error.status === 404) return { code: null, signal: null, oom: false };
    }
    await delay(RETRY_MS);
  }
}

const aborted = (signal: AbortSignal): Promise<false> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(false);
    else signal.addEventListener("abort", () => resolve(false), { once: true });
  });
