import PQueue from "p-queue";
import type { EngineStorage, KeptData, KeptFor, StoredEngine } from "../engine-storage.ts";
import { LaunchFailed, StorageUnusable } from "../launch-failed.ts";
import type { ClaimReader } from "./claim-reader.ts";
import { type Claim, ownerLabels } from "./claim-spec.ts";
import type { Claims } from "./claims.ts";
import { LABELS, USER_ANNOTATION, hash, labelValue } from "./names.ts";
import { reasonOf } from "./kube-errors.ts";

/** The labels that a claim with kept data does not have. */
const KEPT = { [LABELS.engine]: null, [LABELS.restored]: null };

/** Deletions at a time, of a product that has kept the data of many users. */
const DELETES = 10;

/** The name of a user in backups, the same for every backend. */
const nameOf = ({ metadata }: Claim): string => hash(metadata.annotations[USER_ANNOTATION] ?? "", 64);

/** A persistent volume claim for each engine. Kept data are the same claim with other labels. */
export function createClaimStorage(
  claims: Claims,
  reader: Pick<ClaimReader, "archive" | "uncollected">,
): EngineStorage {
  const deleteAll = async (found: readonly Claim[]) => {
    await new PQueue({ concurrency: DELETES }).addAll(found.map((claim) => () => claims.delete(claim)));
  };
  const keptOf = (productId: string) => claims.list({ [LABELS.engine]: null, [LABELS.product]: productId });
  const isRestored = async (engineId: string) =>
    (await claims.ofEngine(engineId))?.metadata.labels[LABELS.restored] !== undefined;
  const erase = async (engineId: string) => deleteAll(await claims.list({ [LABELS.engine]: engineId }));

  const keptAs = async ({ productId, user }: KeptData) =>
    (await keptOf(productId)).find((claim) => nameOf(claim) === user) ?? null;

  async function keep(engine: StoredEngine): Promise<void> {
    if ((await claims.ofEngine(engine.id)) === null) return;
    await deleteAll(await claims.keptFor(engine));
    const owner = { [USER_ANNOTATION]: engine.user_id };
    await claims.relabel(() => claims.ofEngine(engine.id), { ...KEPT, ...ownerLabels(engine) }, owner);
  }

  return {
    async prepare(engine) {
      try {
        const restored = { [LABELS.engine]: labelValue(engine.id), [LABELS.restored]: "true" };
        let hasOwn = false;
        const kept = await claims.relabel(async () => {
          const found = (await claims.ofUser(engine)).map((claim) => ({
            claim,
            of: claim.metadata.labels[LABELS.engine],
          }));
          hasOwn = found.some(({ of }) => of === labelValue(engine.id));
          return found.find(({ of }) => of === undefined)?.claim;
        }, restored);
        if (kept === null && !hasOwn) await claims.create(engine.id, engine);
      } catch (error) {
        throw new LaunchFailed(`failed to create the engine's volume claim: ${reasonOf(error)}`, { cause: error });
      }
    },
    isRestored,
    async settle(engineId) {
      const restored = async () => {
        const claim = await claims.ofEngine(engineId);
        return claim?.metadata.labels[LABELS.restored] === undefined ? null : claim;
      };
      await claims.relabel(restored, { [LABELS.restored]: null });
    },
    discard: (engine) =>
      usable(async () => {
        if (await isRestored(engine.id)) await keep(engine);
        else await erase(engine.id);
      }),
    keep: (engine) => usable(() => keep(engine)),
    erase: (engineId) => usable(() => erase(engineId)),
    hasKept: async (user) => (await claims.keptFor(user)).length > 0,
    eraseKept: async (user: KeptFor) => deleteAll(await claims.keptFor(user)),
    async keptProducts() {
      const kept = await claims.list({ [LABELS.engine]: null });
      return [...new Set(kept.map(({ metadata }) => metadata.labels[LABELS.product] ?? ""))];
    },
    eraseKeptOf: async (productId) => deleteAll(await keptOf(productId)),
    async listKept() {
      const kept = await claims.list({ [LABELS.engine]: null });
      return kept.map((claim) => ({ productId: claim.metadata.labels[LABELS.product] ?? "", user: nameOf(claim) }));
    },
    async readUncollected(engineId, known, signal) {
      const claim = await claims.ofEngine(engineId).catch((error: unknown) => ({ failed: reasonOf(error) }));
      if (claim === null) return { kind: "read", usage: [], notices: [] };
      if ("failed" in claim) return { kind: "failed", reason: claim.failed };
      return reader.uncollected(claim, engineId, known, signal);
    },
    async read(what, how) {
      const claim = typeof what === "string" ? await claims.ofEngine(what) : await keptAs(what);
      if (claim === null) return { kind: "missing" };
      return reader.archive({ claim, engine: typeof what === "string" ? what : null }, how);
    },
  };
}

async function usable(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw new StorageUnusable(`the engine's volume claim: ${reasonOf(error)}`, { cause: error });
  }
}
