import * as z from "zod/mini";
import { LABELS } from "../containers/container-launch.ts";
import type { DockerApi } from "./docker-api.ts";

const listed = z.array(
  z.object({ Id: z.string(), Names: z.array(z.string()), State: z.string(), Labels: z.record(z.string(), z.string()) }),
);
const inspected = z.object({
  Id: z.string(),
  State: z.object({ Running: z.boolean(), ExitCode: z.int(), OOMKilled: z.boolean() }),
  Config: z.object({ Labels: z.record(z.string(), z.string()) }),
});
const stats = z.object({
  cpu_stats: z.object({ cpu_usage: z.object({ total_usage: z.number() }) }),
  memory_stats: z.object({
    usage: z.optional(z.number()),
    stats: z.optional(z.record(z.string(), z.number())),
  }),
});

interface ListedContainer {
  readonly id: string;
  readonly name: string;
  readonly isRunning: boolean;
  readonly incarnation: string;
}

interface ContainerState {
  readonly isRunning: boolean;
  readonly exitCode: number;
  readonly oomKilled: boolean;
  readonly labels: Readonly<Record<string, string>>;
}

/** The containers of one deployment. */
export class Containers {
  readonly #api: DockerApi;
  readonly #deployment: string;

  constructor(api: DockerApi, deployment: string) {
    this.#api = api;
    this.#deployment = deployment;
  }

  /** Newest first. Without an engine and an incarnation, those of all that run. */
  async list(
    of: { readonly engine?: string; readonly incarnation?: string } = {},
  ): Promise<readonly ListedContainer[]> {
    const label = [
      `${LABELS.deployment}=${this.#deployment}`,
      ...(of.engine === undefined ? [] : [`${LABELS.engine}=${of.engine}`]),
      ...(of.incarnation === undefined ? [] : [`${LABELS.incarnation}=${of.incarnation}`]),
    ];
    const all = String(of.engine !== undefined || of.incarnation !== undefined);
    const found = await this.#api.call("GET", "/containers/json", {
      query: { all, filters: JSON.stringify({ label }) },
    });
    return z.parse(listed, found).map(({ Id, Names, State, Labels }) => ({
      id: Id,
      name: (Names[0] ?? Id).replace(/^\//, ""),
      isRunning: State === "running" || State === "paused" || State === "restarting",
      incarnation: Labels[LABELS.incarnation] ?? "",
    }));
  }

  async inspect(id: string): Promise<ContainerState> {
    const { State, Config } = z.parse(inspected, await this.#api.call("GET", `/containers/${id}/json`));
    return {
      isRunning: State.Running,
      exitCode: State.ExitCode,
      oomKilled: State.OOMKilled,
      labels: Config.Labels,
    };
  }

  /** CPU time in milliseconds, and bytes of memory without what the kernel can drop. */
  async usage(id: string): Promise<{ readonly cpuMs: number; readonly memoryBytes: number } | null> {
    const query = { stream: "false", "one-shot": "true" };
    const read = z.safeParse(stats, await this.#api.call("GET", `/containers/${id}/stats`, { query }));
    const usage = read.data?.memory_stats.usage;
    if (read.data === undefined || usage === undefined) return null;
    const { cpu_stats: cpu, memory_stats: memory } = read.data;
    // Version 2 and version 1 of cgroups name it differently.
    const cached = memory.stats?.["inactive_file"] ?? memory.stats?.["total_inactive_file"] ?? 0;
    return { cpuMs: cpu.cpu_usage.total_usage / 1_000_000, memoryBytes: Math.max(0, usage - cached) };
  }

  /** Removes the stopped containers of an engine, except the newest ones. */
  async removeStopped(engine: string, { keep }: { readonly keep: number }): Promise<void> {
    const stopped = (await this.list({ engine })).filter(({ isRunning }) => !isRunning);
    for (const { id } of stopped.slice(keep)) await this.remove(id);
  }

  async remove(id: string): Promise<void> {
    await this.#api.call("DELETE", `/containers/${id}`, { query: { v: "true" } });
  }
}
