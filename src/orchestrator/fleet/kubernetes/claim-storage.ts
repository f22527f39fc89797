import type { EngineStorage, KeptFor, StoredEngine } from "../engine-storage.ts";
import { LaunchFailed, StorageUnusable } from "../launch-failed.ts";
import { type Claim, type Claims, ownerLabels } from "./claims.ts";
import { LABELS } from "./names.ts";
import { reasonOf } from "./reason-of.ts";

/** Kept data are a claim without an engine, with the labels of their product and user. */
const KEPT = { [LABELS.engine]: null, [LABELS.restored]: null };
const UNREADABLE = "orchd does not read the volumes of engines in a cluster: back them up there, with volume snapshots";

/** A persistent volume claim for each engine. Data that are kept are the claim itself, relabelled. */
export function createClaimStorage(claims: Claims): EngineStorage {
  const deleteAll = (found: readonly Claim[]) => Promise.all(found.map((claim) => claims.delete(claim)));
  const keptOf = (productId: string) => claims.list({ [LABELS.engine]: null, [LABELS.product]: productId });
  const isRestored = async (engineId: string) =>
    (await claims.ofEngine(engineId))?.metadata.labels[LABELS.restored] !== undefined;
  const erase = async (engineId: string) => void (await deleteAll(await claims.list({ [LABELS.engine]: engineId })));

  async function keep(engine: StoredEngine): Promise<void> {
    if ((await claims.ofEngine(engine.id)) === null) return;
    await deleteAll(await claims.keptFor(engine));
    await claims.relabel(() => claims.ofEngine(engine.id), { ...KEPT, ...ownerLabels(engine) });
  }

  return {
    async prepare(engine) {
      try {
        const restored = { [LABELS.engine]: engine.id, [LABELS.restored]: "true" };
        const kept = await claims.relabel(async () => (await claims.keptFor(engine))[0], restored);
        if (kept === null) await claims.ensure(engine.id, engine);
      } catch (error) {
        throw new LaunchFailed(`failed to create the engine's volume claim: ${reasonOf(error)}`, { cause: error });
      }
    },
    isRestored,
    async settle(engineId) {
      await claims.relabel(() => claims.ofEngine(engineId), { [LABELS.restored]: null });
    },
    discard: (engine) =>
      usable(async () => {
        if (await isRestored(engine.id)) await keep(engine);
        else await erase(engine.id);
      }),
    keep: (engine) => usable(() => keep(engine)),
    erase: (engineId) => usable(() => erase(engineId)),
    hasKept: async (user) => (await claims.keptFor(user)).length > 0,
    eraseKept: async (user: KeptFor) => void (await deleteAll(await claims.keptFor(user))),
    async keptProducts() {
      const kept = await claims.list({ [LABELS.engine]: null });
      return [...new Set(kept.map(({ metadata }) => metadata.labels[LABELS.product] ?? ""))];
    },
    eraseKeptOf: async (productId) => void (await deleteAll(await keptOf(productId))),
    async listKept() {
      const kept = await claims.list({ [LABELS.engine]: null });
      return kept.map(({ metadata: { labels } }) => ({
        productId: labels[LABELS.product] ?? "",
        user: labels[LABELS.user] ?? "",
      }));
    },
    readLedger: async () => ({ kind: "failed", reason: UNREADABLE }),
    read: async () => ({ kind: "read", notes: UNREADABLE }),
  };
}

async function usable(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw new StorageUnusable(`the engine's volume claim: ${reasonOf(error)}`, { cause: error });
  }
}
