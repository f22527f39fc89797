import * as z from "zod/mini";
import type { KeptFor } from "../engine-storage.ts";
import { type Claim, type ClaimOptions, claimName, claimObject, claimSpec, ownerLabels } from "./claim-spec.ts";
import type { KubeApi } from "./kube-api.ts";
import { isStatus } from "./kube-errors.ts";
import { LABELS, labelValue, selector } from "./names.ts";

const LOG_ANNOTATION = "orchd.log";
/** How many names are tried: claims that are being deleted still have theirs. */
const MAX_NAMES = 8;
/** Kubernetes controllers change claims too, which is a conflict. */
const MAX_CHANGES = 10;

const keptLog = z.object({ pod: z.string(), lines: z.array(z.string()) });
/** The last log lines of an engine's deleted pods. `pod`: the uid of the latest one. */
interface KeptLog {
  readonly pod?: string | undefined;
  readonly lines: readonly string[];
}

/** Labels, where null removes one. */
type Labels = Readonly<Record<string, string | null>>;

/** The persistent volume claims of one deployment: one for each engine, and those that were kept for users. */
export class Claims {
  readonly #api: KubeApi;
  readonly #options: ClaimOptions;

  constructor(api: KubeApi, options: ClaimOptions) {
    this.#api = api;
    this.#options = options;
  }

  /** Claims with these labels that are not being deleted, newest first. Null: without that label. */
  async list(labels: Labels): Promise<readonly Claim[]> {
    const labelSelector = selector({ [LABELS.deployment]: this.#options.deployment, ...labels });
    const { items } = await this.#api.list(this.#path, { labelSelector });
    return items
      .map((item) => z.parse(claimObject, item))
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .sort((a, b) => b.metadata.creationTimestamp.localeCompare(a.metadata.creationTimestamp));
  }

  /** Reads by name, since a list takes longer with more claims. A restored claim has the name of an earlier engine. */
  async ofEngine(engineId: string): Promise<Claim | null> {
    const named = await this.#find(claimName(this.#options.deployment, engineId, 0));
    if (named?.metadata.labels[LABELS.engine] === labelValue(engineId)) return named;
    return (await this.list({ [LABELS.engine]: engineId }))[0] ?? null;
  }

  /** The claims of the user's engine, and the kept ones. */
  ofUser(user: KeptFor): Promise<readonly Claim[]> {
    return this.list(ownerLabels(user));
  }

  keptFor(user: KeptFor): Promise<readonly Claim[]> {
    return this.list({ [LABELS.engine]: null, ...ownerLabels(user) });
  }

  /** The claim of an engine; creates it if it is missing. */
  async ensure(engineId: string): Promise<Claim> {
    return (await this.ofEngine(engineId)) ?? this.create(engineId, null);
  }

  /** Creates the claim of an engine without one. `owner`: the user whose data it holds; null when unknown. */
  async create(engineId: string, owner: KeptFor | null): Promise<Claim> {
    for (let attempt = 0; ; attempt++) {
      try {
        const name = claimName(this.#options.deployment, engineId, attempt);
        const body = claimSpec(name, { engineId, owner }, this.#options);
        return z.parse(claimObject, await this.#api.call("POST", this.#path, { body }));
      } catch (error) {
        if (!isStatus(error, 409)) throw error;
        // Another call has created it, or a claim with this name is deleted once its pod has ended.
        const made = await this.ofEngine(engineId);
        if (made !== null) return made;
        if (attempt >= MAX_NAMES) throw error;
      }
    }
  }

  /** Changes labels and annotations of the claim that `find` reads, with optimistic locking. Null when it finds none. */
  async relabel(
    find: () => Promise<Claim | null | undefined>,
    labels: Labels,
    annotations: Readonly<Record<string, string>> = {},
  ): Promise<Claim | null> {
    for (let attempt = 1; ; attempt++) {
      const claim = await find();
      if (claim === null || claim === undefined) return null;
      try {
        const { name, resourceVersion } = claim.metadata;
        await this.#patch(name, { resourceVersion, labels, annotations });
        return claim;
      } catch (error) {
        if (!isStatus(error, 409) || attempt >= MAX_CHANGES) throw error;
      }
    }
  }

  /** A missing claim is no error. A claim in use is deleted once its pod has ended. */
  async delete({ metadata: { name, uid } }: Claim): Promise<void> {
    try {
      await this.#api.call("DELETE", `${this.#path}/${name}`, { body: { preconditions: { uid } } });
    } catch (error) {
      if (!isStatus(error, 404, 409)) throw error;
    }
  }

  /** Null when the engine has no claim. */
  async keptLog(engineId: string): Promise<KeptLog | null> {
    const claim = await this.ofEngine(engineId);
    if (claim === null) return null;
    const text = claim.metadata.annotations[LOG_ANNOTATION];
    return text === undefined ? { lines: [] } : z.parse(keptLog, JSON.parse(text));
  }

  async keepLog(engineId: string, log: KeptLog): Promise<void> {
    const claim = await this.ofEngine(engineId);
    if (claim !== null)
      await this.#patch(claim.metadata.name, { annotations: { [LOG_ANNOTATION]: JSON.stringify(log) } });
  }

  /** Null when there is no claim of this name, or it is being deleted. */
  async #find(name: string): Promise<Claim | null> {
    try {
      const found = z.parse(claimObject, await this.#api.call("GET", `${this.#path}/${name}`));
      return found.metadata.deletionTimestamp === undefined ? found : null;
    } catch (error) {
      if (isStatus(error, 404)) return null;
      throw error;
    }
  }

  async #patch(name: string, metadata: object): Promise<void> {
    await this.#api.patch(`${this.#path}/${name}`, { metadata });
  }

  get #path(): string {
    return `/api/v1/namespaces/${this.#options.namespace}/persistentvolumeclaims`;
  }
}
