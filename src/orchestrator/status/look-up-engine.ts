import type { EngineRecord, EngineState } from "../../contract/orchestrator/requests.ts";
import { ApiError } from "../api-error.ts";
import type { UsageSamples } from "../../contract/orchestrator/sample.ts";
import { findEngine, findEngineById, listEngines } from "../store/engines.ts";
import type { Product } from "../store/products.ts";
import type { EngineRow } from "../store/tables.ts";
import { awaitEngine } from "./await-state.ts";
import { engineRecord } from "./engine-record.ts";
import type { HostContext } from "../host-context.ts";

export async function getEngineRow(
  host: Pick<HostContext, "db">,
  product: Product,
  userId: string,
): Promise<EngineRow> {
  return (await findEngine(host.db, product.record.id, userId)) ?? engineNotFound();
}

/** Calls that look up engines while others do share a statement (bench row "authenticated GET /engines/{user_id}"). */
export async function lookUpEngine(
  host: Pick<HostContext, "awaited" | "live" | "settings">,
  product: Product,
  userId: string,
): Promise<EngineRecord> {
  return engineRecord(host, (await host.awaited.find(product.record.id, userId)) ?? engineNotFound());
}

interface EnginePage {
  readonly state: EngineState | null;
  /** The id of the last engine of the previous page. */
  readonly after: string | null;
  readonly limit: number;
}

/** Engines of one product, or with null of all, in order of their ids. */
export async function pageOfEngines(
  host: Pick<HostContext, "db" | "live" | "settings">,
  product: Product | null,
  page: EnginePage,
): Promise<EngineRecord[]> {
  const rows = await listEngines(host.db, { productId: product?.record.id ?? null, ...page });
  return rows.map((row) => engineRecord(host, row));
}

/** Waits until the engine is in `state`. Throws BOOT_TIMEOUT with the current state after `timeoutS` seconds. */
export async function waitForEngine(
  host: Pick<HostContext, "awaited" | "states" | "live" | "settings" | "stopping">,
  product: Product,
  { userId, state, timeoutS, signal }: { userId: string; state: EngineState; timeoutS: number; signal: AbortSignal },
): Promise<EngineRecord> {
  const engine = await awaitEngine(host, {
    productId: product.record.id,
    userId,
    done: (row) => row === null || row.state === state,
    deadlineMs: timeoutS * 1000,
    signal,
  });
  if (engine === null) return engineNotFound();
  if (engine.state !== state) {
    throw new ApiError("BOOT_TIMEOUT", `waited ${timeoutS} s: the engine is ${engine.state}, not ${state}`);
  }
  return engineRecord(host, engine);
}

/** What an engine used in the last hour. */
export async function samplesOfEngine(
  { db, samples, now }: Pick<HostContext, "db" | "samples" | "now">,
  engineId: string,
): Promise<UsageSamples> {
  const known = samples.ofEngine(engineId, now());
  if (known !== null) return known;
  if ((await findEngineById(db, engineId)) === null)
    throw new ApiError("ENGINE_NOT_FOUND", `no engine has the id ${engineId}`);
  return samples.none(now());
}

/** Whose an engine is. Null when it was destroyed. */
export async function findUserOfEngine(
  { db, directory }: Pick<HostContext, "db" | "directory">,
  engineId: string,
): Promise<{ readonly product: Product; readonly userId: string } | null> {
  const engine = await findEngineById(db, engineId);
  const product = engine === null ? null : await directory.named(engine.product_id);
  return engine === null || product === null ? null : { product, userId: engine.user_id };
}

export function engineNotFound(): never {
  throw new ApiError("ENGINE_NOT_FOUND", "no engine for this user_id");
}

/** The last lines of an engine's log, oldest first. With a signal, then each new line until it aborts. */
export async function engineLog(
  host: Pick<HostContext, "db" | "backend">,
  product: Product,
  { userId, lines, follow }: { readonly userId: string; readonly lines: number; readonly follow: AbortSignal | null },
): Promise<Iterable<string> | AsyncIterable<string>> {
  const engine = await getEngineRow(host, product, userId);
  return follow === null
    ? host.backend.logs(engine, lines)
    : host.backend.followLogs(engine, { lines, signal: follow });
}
