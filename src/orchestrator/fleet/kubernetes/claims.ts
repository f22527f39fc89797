import * as z from "zod/mini";
import type { KeptFor } from "../engine-storage.ts";
import type { KubeApi } from "./kube-api.ts";
import { isStatus } from "./kube-errors.ts";
import { LABELS, USER_ANNOTATION, hash, labelValue, objectName, selector } from "./names.ts";

const LOG_ANNOTATION = "orchd.log";
/** How many claims of an engine that are being deleted may still have a name. */
const MAX_NAMES = 8;
/** Controllers change claims too. */
const MAX_CHANGES = 10;

const claimObject = z.object({
  metadata: z.object({
    name: z.string(),
    uid: z.string(),
    resourceVersion: z.string(),
    creationTimestamp: z._default(z.string(), ""),
    deletionTimestamp: z.optional(z.string()),
    labels: z._default(z.record(z.string(), z.string()), {}),
    annotations: z._default(z.record(z.string(), z.string()), {}),
  }),
  status: z._default(z.object({ phase: z.optional(z.string()) }), {}),
});
export type Claim = z.output<typeof claimObject>;

const keptLog = z.object({ pod: z.string(), lines: z.array(z.string()) });
/** The last lines of the log of an engine's pods that are gone, up to the one with this identity. */
export interface KeptLog {
  readonly pod?: string | undefined;
  readonly lines: readonly string[];
}

/** Labels, where null removes one. */
type Labels = Readonly<Record<string, string | null>>;

export interface ClaimOptions {
  readonly namespace: string;
  readonly deployment: string;
  /** Null for the cluster's default. */
  readonly storageClass: string | null;
  /** Such as `10Gi`. */
  readonly volumeSize: string;
}

/** Whose data a claim has. A label must not tell who the user is. */
export const ownerLabels = ({ product_id, user_id }: KeptFor) => ({
  [LABELS.product]: labelValue(product_id),
  [LABELS.user]: hash(user_id, 40),
});

/** The persistent volume claims of one deployment: one for each engine, and those that were kept for users. */
export class Claims {
  readonly #api: KubeApi;
  readonly #options: ClaimOptions;

  constructor(api: KubeApi, options: ClaimOptions) {
    this.#api = api;
    this.#options = options;
  }

  /** Those with these labels, which are not being deleted, newest first. Null: without that label. */
  async list(labels: Labels): Promise<readonly Claim[]> {
    const labelSelector = selector({ [LABELS.deployment]: this.#options.deployment, ...labels });
    const { items } = await this.#api.list(this.#path, { labelSelector });
    return items
      .map((item) => z.parse(claimObject, item))
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .sort((a, b) => b.metadata.creationTimestamp.localeCompare(a.metadata.creationTimestamp));
  }

  /** By name, for a list takes longer the more claims there are. One that was kept has the name of an earlier engine. */
  async ofEngine(engineId: string): Promise<Claim | null> {
    const named = await this.#find(this.#name(engineId, 0));
    if (named?.metadata.labels[LABELS.engine] === labelValue(engineId)) return named;
    return (await this.list({ [LABELS.engine]: engineId }))[0] ?? null;
  }

  /** Those of the user's engine, and those that are kept. */
  ofUser(user: KeptFor): Promise<readonly Claim[]> {
    return this.list(ownerLabels(user));
  }

  keptFor(user: KeptFor): Promise<readonly Claim[]> {
    return this.list({ [LABELS.engine]: null, ...ownerLabels(user) });
  }

  /** The claim of an engine, made if it has none. */
  async ensure(engineId: string): Promise<Claim> {
    return (await this.ofEngine(engineId)) ?? this.create(engineId, null);
  }

  /** A claim for an engine that is known to have none. `owner` is whose data it has, if that is known. */
  async create(engineId: string, owner: KeptFor | null): Promise<Claim> {
    for (let at = 0; ; at++) {
      try {
        const body = this.#spec(engineId, { owner, at });
        return z.parse(claimObject, await this.#api.call("POST", this.#path, { body }));
      } catch (error) {
        if (!isStatus(error, 409)) throw error;
        // Another call has made it. Or the name is that of one that goes when its pod has ended.
        const made = await this.ofEngine(engineId);
        if (made !== null) return made;
        if (at >= MAX_NAMES) throw error;
      }
    }
  }

  /** Changes labels and annotations of the claim that `find` gives, as it was read: two calls cannot both take it. Null without one. */
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

  /** None is no error. What is in use goes when its pod has ended. */
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

  /** Null for none, and for one that is being deleted. */
  async #find(name: string): Promise<Claim | null> {
    try {
      const found = z.parse(claimObject, await this.#api.call("GET", `${this.#path}/${name}`));
      return found.metadata.deletionTimestamp === undefined ? found : null;
    } catch (error) {
      if (isStatus(error, 404)) return null;
      throw error;
    }
  }

  #name(engineId: string, at: number): string {
    return objectName(this.#options.deployment, "claim", engineId, String(at));
  }

  async #patch(name: string, metadata: object): Promise<void> {
    await this.#api.patch(`${this.#path}/${name}`, { metadata });
  }

  #spec(engineId: string, { owner, at }: { readonly owner: KeptFor | null; readonly at: number }) {
    const { deployment, storageClass, volumeSize } = this.#options;
    return {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: {
        name: this.#name(engineId, at),
        labels: {
          [LABELS.deployment]: labelValue(deployment),
          [LABELS.engine]: labelValue(engineId),
          ...(owner !== null && ownerLabels(owner)),
        },
        ...(owner !== null && { annotations: { [USER_ANNOTATION]: owner.user_id } }),
      },
      spec: {
        accessModes: ["ReadWriteOnce"],
        ...(storageClass !== null && { storageClassName: storageClass }),
        resources: { requests: { storage: volumeSize } },
      },
    };
  }

  get #path(): string {
    return `/api/v1/namespaces/${this.#options.namespace}/persistentvolumeclaims`;
  }
}
