import { followLog, logTail } from "../fleet/engine-log.ts";
import type { Product } from "../store/products.ts";
import { engineFolder } from "../fleet/engine-folder.ts";
import { getEngineRow } from "./look-up-engine.ts";
import type { HostContext } from "../host-context.ts";

/** The last lines of an engine's log, oldest first. */
export async function tailEngineLog(
  host: Pick<HostContext, "db" | "settings">,
  product: Product,
  { userId, lines }: { readonly userId: string; readonly lines: number },
): Promise<readonly string[]> {
  const engine = await getEngineRow(host, product, userId);
  return logTail(engineFolder(host, engine.id), lines);
}

/** The last lines of an engine's log, then each new line, until the signal aborts. */
export async function followEngineLog(
  host: Pick<HostContext, "db" | "settings">,
  product: Product,
  { userId, lines, signal }: { readonly userId: string; readonly lines: number; readonly signal: AbortSignal },
): Promise<AsyncIterable<string>> {
  const engine = await getEngineRow(host, product, userId);
  return followLog(engineFolder(host, engine.id), { lines, signal });
}
