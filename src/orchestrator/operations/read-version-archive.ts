import { ApiError } from "../api-error.ts";
import type { HostContext } from "../host-context.ts";
import { versionOf } from "../status/read-catalog.ts";
import { readArchive } from "../supervision/prepare-catalog.ts";

/** The pushed archive of a version. Throws CATALOG_VERSION_NOT_FOUND for a version without files. */
export async function readVersionArchive(
  host: Pick<HostContext, "db" | "box">,
  productId: string,
  version: number,
): Promise<Buffer> {
  const { digest } = await versionOf(host, productId, version);
  if (digest === null) throw new ApiError("CATALOG_VERSION_NOT_FOUND", `the version ${version} has no file`);
  return readArchive(host, productId, digest);
}
