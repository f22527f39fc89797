import { followLog, logTail } from "../fleet/engine-log.ts";
import type { Product } from "../store/products.ts";
import { engineFolder } from "../fleet/engine-folders.ts";
import { getEngineRow } from "./look-up-engine.ts";
import type { HostContext } from "../host-context.ts";

/** The last lines an engine wrote. */
export async function tailEngineLog(
  o: HostContext,
  product: Product,
  { userId, lines }: { readonly userId: string; readonly lines: number },
): Promise<readonly string[]> {
  const engine = await getEngineRow(o, product, userId);
  return logTail(engineFolder(o, engine.id), lines);
}

/** The last lines, then each new one as it is written, until the signal. */
export async function followEngineLog(
  o: HostContext,
  product: Product,
  { userId, lines, signal }: { readonly userId: string; readonly lines: number; readonly signal: AbortSignal },
): Promise<AsyncIterable<string>> {
  const engine = await getEngineRow(o, product, userId);
  return followLog(engineFolder(o, engine.id), { lines, signal });
}
