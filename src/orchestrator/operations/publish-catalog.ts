import { catalogChanges } from "../../contract/orchestrator/catalog-digest.ts";
import type { CatalogChanges, CatalogFault, CatalogFile, CatalogPushed } from "../../contract/orchestrator/catalog.ts";
import type { EventType } from "../../contract/orchestrator/event-types.ts";
import { ApiError } from "../api-error.ts";
import type { EngineHost, HostContext } from "../host-context.ts";
import { productNotFound } from "../status/look-up-product.ts";
import { versionOf } from "../status/read-catalog.ts";
import { appendAudit } from "../store/audit-log.ts";
import { insertArchive, insertVersion, lockCatalog, pruneVersions } from "../store/catalogs.ts";
import type { Trx } from "../store/database.ts";
import type { CurrentCatalog, Product } from "../store/products.ts";
import { rollOutCatalog } from "../supervision/reload-catalog.ts";

interface NewVersion {
  readonly digest: string | null;
  readonly files: readonly CatalogFile[];
  readonly bytes: number;
  readonly restoredFrom: number | null;
  /** The encrypted archive. Null if it is stored already. */
  readonly sealed: Buffer | null;
}

interface PublishOptions {
  /** The version that must be the current one; null for any. */
  readonly ifVersion: number | null;
  readonly type: Extract<EventType, `catalog.${string}`>;
  readonly warnings: readonly CatalogFault[];
}

/** Throws CATALOG_CHANGED when the current version is not the one that the caller expects (`If-Match`). */
export function assertCurrent({ version }: CurrentCatalog, ifVersion: number | null): void {
  if (ifVersion !== null && ifVersion !== version)
    throw new ApiError(
      "CATALOG_CHANGED",
      `If-Match: the current version is ${version}, not ${ifVersion}; read it before you replace it`,
    );
}

/** Makes a version the current one, unless the current one has the same files, and reloads the running engines. */
export async function publishCatalog(
  host: EngineHost,
  product: Product,
  { next, ...options }: PublishOptions & { readonly next: NewVersion },
): Promise<CatalogPushed> {
  const { id } = product.record;
  const published = await host.db.transaction().execute((trx) => publish(host, trx, { id, next, ...options }));
  host.directory.changed();
  const stored = await versionOf(host, id, published.version);
  const { list: _, ...version } = stored;
  const engines = await rollOutCatalog(host, id);
  return { ...version, is_new: published.isNew, changes: published.changes, warnings: options.warnings, engines };
}

interface Published {
  readonly version: number;
  readonly isNew: boolean;
  readonly changes: CatalogChanges;
}

/** The lock of the product's row serializes concurrent pushes. */
async function publish(
  host: Pick<HostContext, "events" | "settings">,
  trx: Trx,
  { id, next, ifVersion, type }: PublishOptions & { readonly id: string; readonly next: NewVersion },
): Promise<Published> {
  const current = (await lockCatalog(trx, id)) ?? productNotFound(id);
  assertCurrent(current, ifVersion);
  // A concurrent push may have removed the version.
  if (next.restoredFrom !== null) await versionOf({ db: trx }, id, next.restoredFrom);
  const before = await versionOf({ db: trx }, id, current.version);
  const changes = catalogChanges(before.list, next.files);
  if (current.digest === next.digest) return { version: current.version, isNew: false, changes };
  const version = current.version + 1;
  const { digest, files, bytes, restoredFrom, sealed } = next;
  if (digest !== null && sealed !== null) await insertArchive(trx, id, { digest, sealed });
  await insertVersion(trx, id, { version, digest, files, bytes, restoredFrom });
  await pruneVersions(trx, id, host.settings.catalogVersions);
  const detail = {
    version,
    digest,
    files: files.length,
    bytes,
    ...(restoredFrom !== null && { restored_from: restoredFrom }),
  };
  await appendAudit(trx, { action: type, product_id: id, detail });
  await host.events.insert(trx, { type, productId: id, reason: "request", data: detail });
  return { version, isNew: true, changes };
}
