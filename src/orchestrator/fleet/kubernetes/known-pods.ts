import { LABELS, labelValue } from "./names.ts";
import type { Pod } from "./pod-state.ts";
import type { PodWatch } from "./pod-watch.ts";
import { type Pods, newestFirst } from "./pods.ts";

/** Newest first. */
interface FoundPods {
  /** Those that run an engine. */
  readonly engines: readonly Pod[];
  /** Those that read an engine's files. */
  readonly readers: readonly Pod[];
}

/**
 * The pods of the deployment as the watch knows them, for which the API looks at every pod of the namespace. They are
 * listed while no watch is open. They may be a moment old, so what must be true now is read by the name of the pod.
 */
export class KnownPods {
  readonly #pods: Pick<Pods, "select">;
  readonly #watch: Pick<PodWatch, "current" | "note">;

  constructor(pods: Pick<Pods, "select">, watch: Pick<PodWatch, "current" | "note">) {
    this.#pods = pods;
    this.#watch = watch;
  }

  async all(): Promise<FoundPods> {
    return split(this.#watch.current ?? (await this.#pods.select()));
  }

  async ofEngine(engine: string): Promise<FoundPods> {
    const all = this.#watch.current;
    if (all === null) return split(await this.#pods.select(engine));
    return split(all.filter(({ metadata }) => metadata.labels[LABELS.engine] === labelValue(engine)));
  }

  /** Call it for a pod that was created, which the watch may not have told of yet. */
  note(pod: Pod): void {
    this.#watch.note(pod);
  }
}

function split(pods: readonly Pod[]): FoundPods {
  const { engines = [], readers = [] } = Object.groupBy(newestFirst(pods), ({ metadata }) =>
    metadata.labels[LABELS.reader] === undefined ? "engines" : "readers",
  );
  return { engines, readers };
}
