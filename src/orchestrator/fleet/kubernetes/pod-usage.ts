import * as z from "zod/mini";
import type { ProcessTreeUsage } from "../engine-backend.ts";
import type { KubeApi } from "./kube-api.ts";
import { CONTAINER } from "./pod-spec.ts";

/** Metrics servers measure every 15 s at most; the daemon samples more often. */
const READ_EVERY_MS = 15_000;

const UNITS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};
const podMetrics = z.object({
  metadata: z.object({ name: z.string() }),
  containers: z.array(z.object({ name: z.string(), usage: z.object({ cpu: z.string(), memory: z.string() }) })),
});

/** The usage of pods by `metrics.k8s.io`: memory, and CPU as the average of a recent interval. */
export class PodUsage {
  readonly #api: KubeApi;
  readonly #path: string;
  readonly #labelSelector: string;
  /** The last answer. Between two, CPU time grows at its rate. */
  #read: { readonly at: number; readonly items: readonly unknown[] } = { at: -Infinity, items: [] };
  /** CPU time of each pod since this daemon first read it. */
  #spent = new Map<string, { readonly cpuMs: number; readonly at: number }>();

  constructor(
    api: KubeApi,
    { namespace, labelSelector }: { readonly namespace: string; readonly labelSelector: string },
  ) {
    this.#api = api;
    this.#path = `/apis/metrics.k8s.io/v1beta1/namespaces/${namespace}/pods`;
    this.#labelSelector = labelSelector;
  }

  /** The usage by pod name. Empty in a cluster without `metrics.k8s.io`. */
  async read(now: number): Promise<ReadonlyMap<string, ProcessTreeUsage>> {
    if (now - this.#read.at >= READ_EVERY_MS) this.#read = { at: now, items: await this.#list() };
    const spent = new Map<string, { readonly cpuMs: number; readonly at: number }>();
    const usage = new Map<string, ProcessTreeUsage>();
    for (const item of this.#read.items) {
      const { metadata, containers } = z.parse(podMetrics, item);
      const found = containers.find(({ name }) => name === CONTAINER)?.usage;
      if (found === undefined) continue;
      const before = this.#spent.get(metadata.name) ?? { cpuMs: 0, at: now };
      const cpuMs = before.cpuMs + quantity(found.cpu) * (now - before.at);
      spent.set(metadata.name, { cpuMs, at: now });
      usage.set(metadata.name, { cpuMs, memoryBytes: quantity(found.memory) });
    }
    this.#spent = spent;
    return usage;
  }

  async #list(): Promise<readonly unknown[]> {
    const listed = this.#api.list(this.#path, { labelSelector: this.#labelSelector });
    return (await listed.catch(() => ({ items: [] }))).items;
  }
}

/** A quantity such as `250m` or `64Mi`. NaN for another form. */
export function quantity(text: string): number {
  const [, number = "", unit = ""] = /^([\d.]+)([a-zA-Z]*)$/.exec(text) ?? [];
  return Number(number || NaN) * (UNITS[unit] ?? NaN);
}
