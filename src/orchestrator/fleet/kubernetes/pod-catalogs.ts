import { createHash } from "node:crypto";
import type { TriedCall } from "../../../contract/orchestrator/catalog.ts";
import type { CatalogStorage, StagedCatalog } from "../catalog-storage.ts";
import { type CatalogEntry, CatalogIndex } from "./catalog-index.ts";
import { PART_KEY } from "./catalog-volumes.ts";
import type { KubeApi } from "./kube-api.ts";
import { isStatus } from "./kube-errors.ts";
import { LABELS, labelValue, objectName } from "./names.ts";

/** A secret holds at most 1 MiB. */
const PART_BYTES = 900_000;
/** A long turn may still use an old version. */
const UNUSED_MS = 24 * 3_600_000;
/** The resolution of the recorded last use. */
const TOUCH_MS = 3_600_000;

interface Placed {
  readonly entry: CatalogEntry;
  readonly parts: readonly string[];
  readonly touchedAt: number;
}

export interface PodCatalogsOptions {
  readonly namespace: string;
  readonly deployment: string;
  /** Unpacks and checks what is pushed, on the daemon's own disk. */
  readonly checker: Pick<CatalogStorage, "stage">;
}

/**
 * The archives of products' catalogs in the cluster, each in as many secrets as it needs. A pod unpacks that of its
 * engine before the engine starts.
 */
export class PodCatalogs implements CatalogStorage {
  readonly reloads = false;
  readonly #api: KubeApi;
  readonly #options: PodCatalogsOptions;
  readonly #index: CatalogIndex;
  /** Versions whose secrets this process has created or found complete. */
  readonly #placed = new Map<string, Placed>();
  readonly #making = new Map<string, Promise<void>>();

  constructor(api: KubeApi, options: PodCatalogsOptions) {
    this.#api = api;
    this.#options = options;
    this.#index = new CatalogIndex(api, options);
  }

  async stage(archive: Uint8Array, tried: TriedCall | null = null): Promise<StagedCatalog> {
    const staged = await this.#options.checker.stage(archive, tried);
    const { check, digest } = staged;
    return {
      check,
      digest,
      place: (productId) => this.ensure(productId, digest, async () => archive),
      [Symbol.asyncDispose]: () => staged[Symbol.asyncDispose](),
    };
  }

  /** Concurrent calls for one version share the work. */
  ensure(productId: string, digest: string, load: () => Promise<Uint8Array>): Promise<void> {
    const key = keyOf(productId, digest);
    const making =
      this.#making.get(key) ??
      this.#ensure({ productId, digest, load, now: Date.now() }).finally(() => this.#making.delete(key));
    this.#making.set(key, making);
    return making;
  }

  /** The secrets with the archive of a version. Null when they are not all there. */
  async partsOf(productId: string, digest: string): Promise<readonly string[] | null> {
    const placed = this.#placed.get(keyOf(productId, digest));
    return placed?.parts ?? (await this.#index.find(productId, digest))?.parts ?? null;
  }

  /** The next `ensure` creates the secrets again. One may have been deleted, and orchd has no right to read secrets. */
  invalidate(productId: string, digest: string): void {
    this.#placed.delete(keyOf(productId, digest));
  }

  async collect(inUse: ReadonlyMap<string, ReadonlySet<string>>, now: number): Promise<void> {
    const used = new Set([...inUse].flatMap(([id, digests]) => [...digests].map((digest) => keyOf(id, digest))));
    for (const entry of await this.#index.list()) {
      if (used.has(`${entry.product} ${entry.digest}`)) {
        if (now - entry.usedAt > TOUCH_MS) await this.#index.touch(entry, now);
      } else if (now - entry.usedAt > UNUSED_MS) {
        await this.#delete(entry);
      }
    }
  }

  async erase(productId: string): Promise<void> {
    for (const entry of await this.#index.list({ productId })) await this.#delete(entry);
  }

  async #delete(entry: CatalogEntry): Promise<void> {
    this.#placed.delete(`${entry.product} ${entry.digest}`);
    await this.#index.delete(entry);
  }

  async #ensure({
    productId,
    digest,
    load,
    now,
  }: {
    readonly productId: string;
    readonly digest: string;
    readonly load: () => Promise<Uint8Array>;
    readonly now: number;
  }): Promise<void> {
    const key = keyOf(productId, digest);
    const placed = this.#placed.get(key);
    if (placed !== undefined && now - placed.touchedAt < TOUCH_MS) return;
    this.#placed.delete(key);
    // Without a new time of last use, it could be collected meanwhile.
    const found = await this.#index.ensure(productId, digest, now);
    const isFresh = now - found.usedAt < TOUCH_MS || (await this.#index.touch(found, now));
    const entry = isFresh ? found : await this.#index.ensure(productId, digest, now);
    const parts = await this.#createParts(entry, await load());
    await this.#index.complete(entry, parts);
    this.#placed.set(key, { entry, parts, touchedAt: now });
  }

  async #createParts(entry: CatalogEntry, archive: Uint8Array): Promise<readonly string[]> {
    // Archives of the same files may differ, so their hash is part of the names.
    const hash = createHash("sha256").update(archive).digest("hex");
    const parts: string[] = [];
    for (let at = 0; at < archive.length; at += PART_BYTES) {
      const name = objectName(this.#options.deployment, "catalog", entry.uid, hash, String(at));
      await this.#create(this.#secret(name, entry, archive.subarray(at, at + PART_BYTES)));
      parts.push(name);
    }
    return parts;
  }

  /** An existing secret is immutable, so it has this content. */
  async #create(secret: object): Promise<void> {
    try {
      await this.#api.call("POST", `/api/v1/namespaces/${this.#options.namespace}/secrets`, { body: secret });
    } catch (error) {
      if (!isStatus(error, 409)) throw error;
    }
  }

  #secret(name: string, { name: index, uid, product, digest }: CatalogEntry, content: Uint8Array): object {
    const labels = {
      [LABELS.deployment]: labelValue(this.#options.deployment),
      [LABELS.product]: product,
      [LABELS.catalog]: digest,
    };
    return {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name, labels, ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: index, uid }] },
      type: "Opaque",
      immutable: true,
      data: { [PART_KEY]: Buffer.from(content).toString("base64") },
    };
  }
}

const keyOf = (productId: string, digest: string): string => `${labelValue(productId)} ${labelValue(digest)}`;
