import PQueue from "p-queue";
import type { EngineStorage, StoredEngine } from "../engine-storage.ts";
import { LaunchFailed, StorageUnusable } from "../launch-failed.ts";
import type { ClaimReader } from "./claim-reader.ts";
import { type Claim, ownerLabels, ownerOf } from "./claim-spec.ts";
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
  const isRestored = async (engine: StoredEngine) =>
    (await claims.ofEngine(engine))?.metadata.labels[LABELS.restored] !== undefined;
  const erase = async (engine: StoredEngine) => {
    const claim = await claims.ofEngine(engine);
    if (claim !== null) await claims.delete(claim);
  };

  async function keep(engine: StoredEngine): Promise<void> {
    if ((await claims.ofEngine(engine)) === null) return;
    const owner = ownerOf(engine);
    await deleteAll(await claims.keptFor(owner));
    const annotations = { [USER_ANNOTATION]: engine.user_id };
    await claims.relabel(() => claims.ofEngine(engine), { ...KEPT, ...ownerLabels(owner) }, annotations);
  }

  return {
    async prepare(engine) {
      try {
        const restored = { [LABELS.engine]: labelValue(engine.id), [LABELS.restored]: "true" };
        let hasOwn = false;
        const kept = await claims.relabel(async () => {
          const found = (await claims.ofUser(ownerOf(engine))).map((claim) => ({
            claim,
            of: claim.metadata.labels[LABELS.engine],
          }));
          hasOwn = found.some(({ of }) => of === labelValue(engine.id));
          return found.find(({ of }) => of === undefined)?.claim;
        }, restored);
        if (kept === null && !hasOwn) await claims.create(engine);
      } catch (error) {
        throw new LaunchFailed(`failed to create the engine's volume claim: ${reasonOf(error)}`, { cause: error });
      }
    },
    isRestored,
    async settle(engine) {
      const restored = async () => {
        const claim = await claims.ofEngine(engine);
        return claim?.metadata.labels[LABELS.restored] === undefined ? null : claim;
      };
      await claims.relabel(restored, { [LABELS.restored]: null });
    },
    discard: (engine) =>
      usable(async () => {
        if (await isRestored(engine)) await keep(engine);
        else await erase(engine);
      }),
    keep: (engine) => usable(() => keep(engine)),
    erase: (engine) => usable(() => erase(engine)),
    hasKept: async (user) => (await claims.keptFor(ownerOf(user))).length > 0,
    eraseKept: async (user) => deleteAll(await claims.keptFor(ownerOf(user))),
    async keptProducts() {
      const kept = await claims.list({ [LABELS.engine]: null });
      return [...new Set(kept.map(({ metadata }) => metadata.labels[LABELS.product] ?? ""))];
    },
    eraseKeptOf: async (productId) => deleteAll(await keptOf(productId)),
    async listKept() {
      const kept = await claims.list({ [LABELS.engine]: null });
      return kept.map((claim) => ({ productId: claim.metadata.labels[LABELS.product] ?? "", user: nameOf(claim) }));
    },
    async readUncollected(engine, known, signal) {
      const claim = await claims.ofEngine(engine).catch((error: unknown) => ({ failed: reasonOf(error) }));
      if (claim === null) return { kind: "read", usage: [], notices: [] };
      if ("failed" in claim) return { kind: "failed", reason: claim.failed };
      return reader.uncollected(claim, engine.id, known, signal);
    },
    async read(what, how) {
      const [claim] = "id" in what ? [await claims.ofEngine(what)] : await claims.keptFor(what);
      if (claim === null || claim === undefined) return { kind: "missing" };
      return reader.archive({ claim, engine: "id" in what ? what.id : null }, how);
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
