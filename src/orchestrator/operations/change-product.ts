import type { ProductRecord } from "../../contract/orchestrator-api.ts";
import type { EventType } from "../../contract/orchestrator-events.ts";
import { appendAudit } from "../store/audit-log.ts";
import type { Trx } from "../store/database.ts";
import { type Product, lockProduct } from "../store/products.ts";
import { productNotFound } from "../status/look-up-product.ts";
import type { HostContext } from "../host-context.ts";
import { productRecord } from "../status/product-record.ts";

export interface ProductChange {
  readonly type: Extract<EventType, `product.${string}`>;
  /** The changed fields for the audit log and the event, without secrets. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Changes one product under its row lock. The product cache is invalidated before the response. */
export async function changeProduct(
  host: Pick<HostContext, "db" | "events" | "directory" | "box">,
  idOrSlug: string,
  { change, ...what }: ProductChange & { readonly change: (trx: Trx, product: Product) => Promise<Product | null> },
): Promise<ProductRecord> {
  const changed = await host.db.transaction().execute(async (trx) => {
    const product = await lockProduct(trx, idOrSlug);
    const after = product === null ? null : await change(trx, product);
    if (after !== null) await recordProductChange(host, trx, { productId: after.record.id, ...what });
    return after;
  });
  host.directory.changed();
  return productRecord(host, changed ?? productNotFound(idOrSlug));
}

/** Writes the audit line and the event of a change. They must be the last statements of the transaction. */
export async function recordProductChange(
  host: Pick<HostContext, "events">,
  trx: Trx,
  { productId, type, detail }: ProductChange & { readonly productId: string },
): Promise<void> {
  await appendAudit(trx, { action: type, product_id: productId, detail });
  await host.events.insert(trx, { type, productId, reason: "request", data: detail });
}
