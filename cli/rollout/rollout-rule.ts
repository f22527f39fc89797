import type { EngineRecord } from "../../src/contract/orchestrator/records.ts";

/** The state of an engine that the rule uses. */
export type RolledEngine = Pick<EngineRecord, "id" | "version" | "state" | "restarts" | "usage">;

/** The shares of the outdated engines that have been restarted after each batch. */
const SHARES = [0.05, 0.25, 1];

/** The sizes of the batches: one engine, then up to 5 %, 25 % and all of them. */
export function batchSizes(total: number): readonly number[] {
  const ends = [1, ...SHARES.map((share) => Math.ceil(total * share))].map((end) => Math.min(end, total));
  return ends.map((end, at) => end - (ends[at - 1] ?? 0)).filter((size) => size > 0);
}

/** Running engines of another version. A sleeping engine has the daemon's version when it wakes. */
export const isOutdated = ({ version, state }: RolledEngine, wanted: string): boolean =>
  (state === "running" || state === "unhealthy") && version !== wanted;

interface Rate {
  readonly failed: number;
  readonly of: number;
}

export interface FailureRates {
  readonly new: Rate;
  readonly old: Rate;
  /** Ended and failed turns. */
  readonly turns: { readonly new: Rate; readonly old: Rate };
}

/** The least number of failed turns that counts. */
const MIN_FAILED_TURNS = 3;

/**
 * How many engines of the wanted version and of others have failed since the rollout began: they are unhealthy, wait for
 * a restart, have failed, or were restarted after a crash. `rolled` are the engines that this rollout has restarted, of
 * which one that does not run has no version to go by. `before` are the restarts of each engine at the beginning.
 */
export function failureRates(
  engines: readonly RolledEngine[],
  { wanted, rolled, before }: { wanted: string; rolled: ReadonlySet<string>; before: ReadonlyMap<string, number> },
): FailureRates {
  const isNew = ({ id, version }: RolledEngine) => rolled.has(id) || version === wanted;
  const hasFailed = ({ id, state, restarts }: RolledEngine) =>
    state === "unhealthy" || state === "backoff" || state === "failed" || restarts.count > (before.get(id) ?? 0);
  const rate = (some: readonly RolledEngine[]) => ({ failed: some.filter(hasFailed).length, of: some.length });
  const [now, then] = [engines.filter(isNew), engines.filter((engine) => !isNew(engine))];
  return { new: rate(now), old: rate(then), turns: { new: turnRate(now), old: turnRate(then) } };
}

/** Over the lives of their processes: an engine of the new version has run since its restart only. */
function turnRate(engines: readonly RolledEngine[]): Rate {
  const sum = (of: "turns" | "failed_turns") =>
    engines.reduce((total, { usage }) => total + (usage?.work?.[of] ?? 0), 0);
  return { failed: sum("failed_turns"), of: sum("turns") };
}

/** Why the rollout must stop: the new version fails more often than the old one. Null when it continues. */
export function rolloutProblem(rates: FailureRates, wanted: string): string | null {
  const share = ({ failed, of }: Rate) => (of === 0 ? 0 : failed / of);
  const problem = (what: string, now: Rate, then: Rate) =>
    `${now.failed} of ${now.of} ${what} of ${wanted} failed, and ${then.failed} of ${then.of} of other versions`;
  if (share(rates.new) > share(rates.old)) return problem("engines", rates.new, rates.old);
  const { turns } = rates;
  if (turns.new.failed < MIN_FAILED_TURNS || share(turns.new) <= share(turns.old)) return null;
  return problem("turns", turns.new, turns.old);
}
