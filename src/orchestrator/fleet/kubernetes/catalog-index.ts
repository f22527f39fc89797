import * as z from "zod/mini";
import type { KubeApi } from "./kube-api.ts";
import { isStatus } from "./kube-errors.ts";
import { LABELS, labelValue, objectName, selector } from "./names.ts";

/** The annotation with the time of the last use, in milliseconds since the epoch. */
const USED = "orchd.used";

const indexObject = z.object({
  metadata: z.object({
    name: z.string(),
    uid: z.string(),
    resourceVersion: z.string(),
    deletionTimestamp: z.optional(z.string()),
    labels: z._default(z.record(z.string(), z.string()), {}),
    annotations: z._default(z.record(z.string(), z.string()), {}),
  }),
  data: z._default(z.object({ parts: z.optional(z.string()) }), {}),
});
const names = z.array(z.string());

/** The ConfigMap of a version's archive. It owns the secrets that contain the archive. */
export interface CatalogEntry {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** The values of the labels. */
  readonly product: string;
  readonly digest: string;
  readonly usedAt: number;
  /** The names of its secrets, in order. Null until all of them exist. */
  readonly parts: readonly string[] | null;
}

/** The ConfigMaps of one deployment, one for each stored version of a product's catalog. */
export class CatalogIndex {
  readonly #api: KubeApi;
  readonly #deployment: string;
  readonly #path: string;

  constructor(api: KubeApi, { namespace, deployment }: { readonly namespace: string; readonly deployment: string }) {
    this.#api = api;
    this.#deployment = deployment;
    this.#path = `/api/v1/namespaces/${namespace}/configmaps`;
  }

  async list(of: { readonly productId?: string; readonly digest?: string } = {}): Promise<readonly CatalogEntry[]> {
    const labelSelector = selector({
      [LABELS.deployment]: this.#deployment,
      ...(of.productId !== undefined && { [LABELS.product]: of.productId }),
      ...(of.digest !== undefined && { [LABELS.catalog]: of.digest }),
    });
    const { items } = await this.#api.list(this.#path, { labelSelector });
    return items
      .map((item) => z.parse(indexObject, item))
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(entryOf);
  }

  async find(productId: string, digest: string): Promise<CatalogEntry | null> {
    return (await this.list({ productId, digest }))[0] ?? null;
  }

  /** The entry of a version; creates it if it is missing. */
  async ensure(productId: string, digest: string, now: number): Promise<CatalogEntry> {
    const metadata = {
      name: objectName(this.#deployment, "catalog", productId, digest),
      labels: {
        [LABELS.deployment]: labelValue(this.#deployment),
        [LABELS.product]: labelValue(productId),
        [LABELS.catalog]: labelValue(digest),
      },
      annotations: { [USED]: String(now) },
    };
    try {
      const body = { apiVersion: "v1", kind: "ConfigMap", metadata };
      return entryOf(z.parse(indexObject, await this.#api.call("POST", this.#path, { body })));
    } catch (error) {
      const found = isStatus(error, 409) ? await this.find(productId, digest) : null;
      if (found === null) throw error;
      return found;
    }
  }

  /** Records the secrets of an entry, after all of them exist. */
  async complete({ name, uid }: CatalogEntry, parts: readonly string[]): Promise<void> {
    await this.#patch(name, { metadata: { uid }, data: { parts: JSON.stringify(parts) } });
  }

  /** Updates the time of the last use. False when the entry was deleted. */
  async touch({ name, uid }: CatalogEntry, now: number): Promise<boolean> {
    try {
      await this.#patch(name, { metadata: { uid, annotations: { [USED]: String(now) } } });
      return true;
    } catch (error) {
      // A conflict: another entry has the name.
      if (isStatus(error, 404, 409)) return false;
      throw error;
    }
  }

  /** Deletes an entry, unless it was used since it was read. The cluster then deletes its secrets. */
  async delete({ name, uid, resourceVersion }: CatalogEntry): Promise<void> {
    try {
      const body = { preconditions: { uid, resourceVersion }, propagationPolicy: "Background" };
      await this.#api.call("DELETE", `${this.#path}/${name}`, { body });
    } catch (error) {
      if (!isStatus(error, 404, 409)) throw error;
    }
  }

  async #patch(name: string, body: object): Promise<void> {
    await this.#api.patch(`${this.#path}/${name}`, body);
  }
}

function entryOf({ metadata, data }: z.output<typeof indexObject>): CatalogEntry {
  const { name, uid, resourceVersion, labels, annotations } = metadata;
  return {
    name,
    uid,
    resourceVersion,
    product: labels[LABELS.product] ?? "",
    digest: labels[LABELS.catalog] ?? "",
    usedAt: Number(annotations[USED] ?? 0),
    parts: data.parts === undefined ? null : z.parse(names, JSON.parse(data.parts)),
  };
}
