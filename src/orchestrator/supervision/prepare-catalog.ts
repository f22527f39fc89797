import type { HostContext } from "../host-context.ts";
import { findArchive } from "../store/catalogs.ts";
import type { CurrentCatalog } from "../store/products.ts";

type Host = Pick<HostContext, "db" | "box" | "backend">;

/** Ensures that the files of a version are where engines run. Rejects when they cannot be created. */
export async function prepareCatalog(
  host: Host,
  productId: string,
  { digest }: Pick<CurrentCatalog, "digest">,
): Promise<void> {
  if (digest !== null)
    await host.backend.catalogs.ensure(productId, digest, () => readArchive(host, productId, digest));
}

/** The pushed archive of a digest. Rejects when it is no longer stored. */
export async function readArchive(
  { db, box }: Pick<HostContext, "db" | "box">,
  productId: string,
  digest: string,
): Promise<Buffer> {
  const sealed = await findArchive(db, productId, digest);
  if (sealed === null) throw new Error(`the archive ${digest} of the catalog of ${productId} is not stored`);
  return box.openBytes(sealed);
}
