import type { HostContext } from "../host-context.ts";
import { currentDigests } from "../store/catalogs.ts";

/** Removes versions of products' catalogs from this host that nobody has used for a day. */
export async function collectCatalogs({
  db,
  live,
  backend,
  now,
}: Pick<HostContext, "db" | "live" | "backend" | "now">): Promise<void> {
  const current = [...(await currentDigests(db))];
  const inUse = new Map(current.map(([id, digest]) => [id, new Set(digest === null ? [] : [digest])]));
  for (const { productId, order } of live.all()) {
    const digest = order.catalog?.digest ?? null;
    if (digest !== null) inUse.get(productId)?.add(digest);
  }
  await backend.catalogs.collect(inUse, now());
}
