import type { HostContext } from "../host-context.ts";
import { findArchive } from "../store/catalogs.ts";
import type { CurrentCatalog } from "../store/products.ts";

type Host = Pick<HostContext, "db" | "box" | "backend">;

/** Makes sure that the folder of a version is on this host. Rejects when it cannot be made. */
export async function prepareCatalog(
  host: Host,
  productId: string,
  { digest }: Pick<CurrentCatalog, "digest">,
): Promise<void> {
  if (digest !== null)
    await host.backend.catalogs.ensure(productId, digest, () => readArchive(host, productId, digest));
}

/** The archive of a digest, as it was pushed. Rejects when it is no longer stored. */
export async function readArchive(
  { db, box }: Pick<HostContext, "db" | "box">,
  productId: string,
  digest: string,
): Promise<Buffer> {
  const sealed = await findArchive(db, productId, digest);
  if (sealed === null) throw new Error(`the archive ${digest} of the catalog of ${productId} is not stored`);
  return box.openBytes(sealed);
}
