import { type EngineRecord, type EventRecord, type ProductRecord } from "@orchd/client";
import { signal } from "@preact/signals";
import { admin } from "../session/clients.ts";
import { applyEvent } from "./apply-event.ts";

/** Every engine by its id. Only this file changes it; null until the first list was read. */
export const engines = signal<ReadonlyMap<string, EngineRecord> | null>(null);
/** Every product by its id; null until the first list was read. */
export const products = signal<ReadonlyMap<string, ProductRecord> | null>(null);

/** The product's slug, or its id while it is not known. */
export const slugOf = (productId: string): string => products.value?.get(productId)?.slug ?? productId;

export async function loadProducts(signal: AbortSignal): Promise<void> {
  const found = new Map<string, ProductRecord>();
  for await (const product of admin.listProducts({ signal })) found.set(product.id, product);
  products.value = found;
}

/** Reads every engine. Events that arrive while it is read are applied after it. */
export async function loadEngines(signal: AbortSignal): Promise<void> {
  const found = new Map<string, EngineRecord>();
  sinceLoad = [];
  for await (const engine of admin.listEngines({ signal })) found.set(engine.id, engine);
  engines.value = applied(found, sinceLoad);
}

/** Replaces one record by what a call returned. */
export function storeEngine(engine: EngineRecord): void {
  if (engines.value !== null) engines.value = new Map(engines.value).set(engine.id, engine);
}

/** Replaces the numbers of open questions by those of a newer list. */
export function storeQuestionCounts(counts: ReadonlyMap<string, number>): void {
  const known = engines.value;
  if (known === null) return;
  const changed = [...known.values()].filter(({ id, open_questions: open }) => open !== (counts.get(id) ?? 0));
  if (changed.length === 0) return;
  const next = new Map(known);
  for (const engine of changed) next.set(engine.id, { ...engine, open_questions: counts.get(engine.id) ?? 0 });
  engines.value = next;
}

let sinceLoad: EventRecord[] = [];

/** Applies a batch of events. Returns whether one is of an unknown engine, or of a product. */
export function applyToFleet(events: readonly EventRecord[]): {
  readonly newEngine: boolean;
  readonly products: boolean;
} {
  sinceLoad.push(...events);
  const known = engines.value;
  if (known !== null) engines.value = applied(known, events);
  return {
    newEngine: events.some(
      ({ type, engine_id }) => type === "engine.provisioned" && engine_id !== null && !known?.has(engine_id),
    ),
    products: events.some(({ type }) => type.startsWith("product.")),
  };
}

function applied(
  known: ReadonlyMap<string, EngineRecord>,
  events: readonly EventRecord[],
): ReadonlyMap<string, EngineRecord> {
  const next = new Map(known);
  for (const event of events) {
    const engine = event.engine_id === null ? undefined : next.get(event.engine_id);
    if (engine === undefined) continue;
    if (event.type === "engine.destroyed") next.delete(engine.id);
    else next.set(engine.id, applyEvent(engine, event));
  }
  return next;
}
