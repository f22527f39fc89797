import type { EngineRecord } from "@orchd/client";
import { type StateGroup, STATE_GROUPS, groupOf } from "../../parts/state-badge.tsx";

const SORTS = ["user", "product", "state", "cpu", "memory", "turns", "restarts", "active"] as const;
export type Sort = (typeof SORTS)[number];

export interface FleetFilter {
  /** Part of a user id or of an engine id. */
  readonly search: string;
  /** A product's slug, or empty. */
  readonly product: string;
  readonly group: StateGroup | null;
  readonly sort: Sort;
  readonly isDescending: boolean;
}

/** Filters are the query of the address, so that a link shows the same engines. */
export function readFilter(query: URLSearchParams): FleetFilter {
  const sort = query.get("sort") ?? "active";
  const name = sort.replace(/^-/, "");
  return {
    search: query.get("q") ?? "",
    product: query.get("product") ?? "",
    group: STATE_GROUPS.find((group) => group === query.get("state")) ?? null,
    sort: SORTS.find((known) => known === name) ?? "active",
    isDescending: sort.startsWith("-") || !query.has("sort"),
  };
}

type SlugOf = (productId: string) => string;

export function filterFleet(
  engines: Iterable<EngineRecord>,
  filter: FleetFilter,
  slugOf: SlugOf,
): readonly EngineRecord[] {
  const { group, product } = filter;
  const found = searched(engines, filter, slugOf).filter(
    (engine) =>
      (group === null || groupOf(engine.state) === group) && (product === "" || slugOf(engine.product_id) === product),
  );
  const valueOf = VALUE[filter.sort];
  const direction = filter.isDescending ? -1 : 1;
  // Equal ones keep an order of their own, so that rows do not jump.
  return found
    .map((engine) => ({ engine, value: valueOf(engine, slugOf) }))
    .sort((a, b) => (a.value < b.value ? -1 : a.value > b.value ? 1 : a.engine.id < b.engine.id ? -1 : 1) * direction)
    .map(({ engine }) => engine);
}

/** Engines of each group of states, among those that fit the rest of the filter. */
export function countGroups(
  engines: Iterable<EngineRecord>,
  filter: FleetFilter,
  slugOf: SlugOf,
): ReadonlyMap<StateGroup, number> {
  const counts = new Map<StateGroup, number>(STATE_GROUPS.map((group) => [group, 0]));
  for (const engine of searched(engines, filter, slugOf)) {
    if (filter.product !== "" && slugOf(engine.product_id) !== filter.product) continue;
    const group = groupOf(engine.state);
    counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  return counts;
}

function searched(engines: Iterable<EngineRecord>, { search }: FleetFilter, slugOf: SlugOf): EngineRecord[] {
  const text = search.trim().toLowerCase();
  const all = [...engines];
  if (text === "") return all;
  return all.filter(
    ({ id, user_id, product_id }) =>
      user_id.toLowerCase().includes(text) || id.startsWith(text) || slugOf(product_id).includes(text),
  );
}

const VALUE: Readonly<Record<Sort, (engine: EngineRecord, slugOf: SlugOf) => string | number>> = {
  user: ({ user_id }) => user_id.toLowerCase(),
  product: ({ product_id }, slugOf) => slugOf(product_id),
  state: ({ state }) => state,
  cpu: ({ usage }) => usage?.cpu_percent ?? -1,
  memory: ({ usage }) => usage?.memory_mb ?? -1,
  turns: ({ usage }) => usage?.work?.turns ?? -1,
  restarts: ({ restarts }) => restarts.count,
  active: ({ last_active_at }) => last_active_at ?? "",
};
