import type { Socket } from "node:net";
import { untilExit } from "../../../shared/background.ts";
import { delay } from "../../../shared/clock.ts";
import { SharedStop, exitsBefore, exitsWithin } from "../containers/shared-stop.ts";
import type { EngineHandle } from "../../../contract/orchestrator/engine-handle.ts";
import { containerExit } from "../containers/container-exit.ts";
import type { EngineExit, EngineProcess, StopOutcome } from "../engine-backend.ts";
import type { Containers } from "./containers.ts";
import { type DockerApi, DockerError } from "./docker-api.ts";

const RETRY_MS = 1000;
/** How long a container may take to exit after SIGKILL before it counts as a survivor. */
const KILL_WAIT_MS = 10_000;

/** An engine's process in a container. The container's init exits with it, and the kernel kills what else runs there. */
export class ContainerProcess implements EngineProcess {
  readonly handle: EngineHandle;
  readonly address: string;
  readonly exited: Promise<EngineExit>;
  readonly spare = null;
  readonly id: string;
  readonly #api: DockerApi;
  readonly #input: Socket | null;
  readonly #stop = new SharedStop((_, forceKill) => this.#end(forceKill));

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
    /** The container's standard input, with the launch file. Null for an engine of an earlier daemon. */
    readonly input: Socket | null;
  }) {
    this.id = id;
    this.handle = handle;
    this.address = address;
    this.#api = api;
    this.#input = input;
    this.exited = awaitExit(id, { api, containers });
    untilExit(
      "end of a container",
      this.exited.then(() => this.settle()),
    );
  }

  stop(termMs: number): Promise<StopOutcome> {
    return this.#stop.run(termMs);
  }

  /** Closes the standard input that the engine has read the launch file from. No copy of it remains. */
  async settle(): Promise<void> {
    this.#input?.destroy();
  }

  async #end(forceKill: AbortSignal): Promise<StopOutcome> {
    try {
      if (!(await signalContainer(this.#api, this.id, "SIGTERM"))) return await this.#exitedWithin("exited");
      if (await exitsBefore(this.exited, forceKill)) return { kind: "exited" };
      await signalContainer(this.#api, this.id, "SIGKILL");
      return await this.#exitedWithin("killed");
    } catch (error) {
      return containerSurvived(this.id, error instanceof Error ? error.message : "the Docker engine does not answer");
    }
  }

  async #exitedWithin(kind: "exited" | "killed"): Promise<StopOutcome> {
    if (await exitsWithin(this.exited, KILL_WAIT_MS)) return { kind };
    return containerSurvived(this.id, `container ${this.id.slice(0, 12)} survived SIGKILL`);
  }
}

export const containerSurvived = (id: string, reason: string): StopOutcome => ({
  kind: "survived",
  reason,
  data: { container: id },
});

/** False when the container does not run. */
export async function signalContainer(api: DockerApi, id: string, signal: "SIGTERM" | "SIGKILL"): Promise<boolean> {
  try {
    await api.call("POST", `/containers/${id}/kill`, { query: { signal } });
    return true;
  } catch (error) {
    if (error instanceof DockerError && (error.status === 404 || error.status === 409)) return false;
    throw error;
  }
}

/** A wait call may be cut off, so the state of the container decides. */
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
