import type { EngineRecord, EngineState } from "../src/client/records.ts";
import type { Session } from "./session.ts";

interface Selection {
  readonly state?: EngineState | undefined;
  /** With the admin key, the engines of all products or of `--product`. Otherwise those of the current product. */
  readonly all: boolean;
}

/** An engine with the slug of its product; null where only one product is listed. */
type ListedEngine = EngineRecord & { readonly product: string | null };

export async function listEngines(
  { client }: Pick<Session, "client">,
  { state, all }: Selection,
): Promise<readonly ListedEngine[]> {
  if (!all) {
    const own = await client.platform((orchestrator) => Array.fromAsync(orchestrator.list({ state })));
    return own.map((engine) => ({ ...engine, product: null }));
  }
  const productId = await client.wantedProductId();
  const { engines, products } = await client.admin(async (admin) => ({
    engines: await Array.fromAsync(admin.listEngines({ state })),
    products: await Array.fromAsync(admin.listProducts()),
  }));
  const slugs = new Map(products.map(({ id, slug }) => [id, slug]));
  return engines
    .filter(({ product_id }) => productId === undefined || product_id === productId)
    .map((engine) => ({ ...engine, product: slugs.get(engine.product_id) ?? engine.product_id }));
}
