import type { EngineStorage, KeptFor } from "../../../src/orchestrator/fleet/engine-storage.ts";
import { LaunchFailed } from "../../../src/orchestrator/fleet/launch-failed.ts";
import { world } from "../kernel/world.ts";

const userOf = ({ product_id, user_id }: KeptFor): string => `${product_id} ${user_id}`;

/** The files of engines. An operation takes effect at once, and its answer comes later. */
export function createStorage(): EngineStorage {
  const disk = async <T>(label: string, work: () => T): Promise<T> => {
    const done = work();
    await world().scheduler.wait(world().latency("disk"), label);
    return done;
  };
  const { folders } = world().machine;
  return {
    prepare: (engine) =>
      disk("prepare folder", () => {
        if (world().faults.isDiskFull) throw new LaunchFailed("no space is left");
        folders.prepare(engine.id, userOf(engine));
      }),
    isRestored: ({ id }) => disk("is restored", () => folders.restored.has(id)),
    settle: ({ id }) => disk("settle folder", () => void folders.restored.delete(id)),
    discard: (engine) => disk("discard folder", () => folders.discard(engine.id, userOf(engine))),
    keep: (engine) => disk("keep folder", () => folders.keep(engine.id, userOf(engine))),
    erase: ({ id }) => disk("erase folder", () => folders.erase(id)),
    hasKept: (user) => disk("has kept", () => folders.hasKept(userOf(user))),
    eraseKept: (user) => disk("erase kept", () => folders.eraseKept(userOf(user))),
    keptProducts: () => Promise.resolve([]),
    eraseKeptOf: () => Promise.resolve(),
    listKept: () => Promise.resolve([]),
    readUncollected: () => disk("read uncollected", () => ({ kind: "read", usage: [], notices: [] })),
    read: () => Promise.resolve({ kind: "missing" }),
  };
}
