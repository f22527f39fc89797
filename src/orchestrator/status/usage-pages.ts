import { USAGE_LIMITS, dayOf } from "../../contract/engine/metered-usage.ts";
import type { UsageGroup } from "../../contract/orchestrator/usage-groups.ts";
import type { UsagePage, UsageRecord } from "../../contract/orchestrator/usage.ts";
import { InvalidInput } from "../../shared/parse.ts";
import type { HostContext } from "../host-context.ts";
import { type UsageGroupRow, keysOf, queryUsage } from "../store/usage-query.ts";

const DAY_MS = 86_400_000;

/** The parameters of a call as text; those left out are undefined. */
interface UsageParameters {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly by?: string | undefined;
  readonly user_id?: string | undefined;
  readonly cursor?: string | undefined;
}

interface UsageScope {
  /** Null for all products. */
  readonly productId: string | null;
  readonly groups: readonly UsageGroup[];
  /** The grouping when the call names none. */
  readonly fallback: UsageGroup;
  readonly limit: number;
}

/** A page of usage. Throws `InvalidInput` with the name of the parameter. */
export async function pageOfUsage(
  host: Pick<HostContext, "db" | "prices" | "now">,
  given: UsageParameters,
  { productId, groups, fallback, limit }: UsageScope,
): Promise<UsagePage> {
  const today = dayOf(host.now());
  const since = dayParameter("since", given.since ?? `${today.slice(0, 7)}-01`);
  const until = dayParameter("until", given.until ?? today);
  if (since > until) throw new InvalidInput("since", `expected a day that is not after until (${until})`);
  if (Date.parse(until) - Date.parse(since) > USAGE_LIMITS.keptDays * DAY_MS)
    throw new InvalidInput("since", `expected at most ${USAGE_LIMITS.keptDays} days before until (${until})`);
  const by = groupsParameter(given.by ?? fallback, groups);
  const table = host.prices.table;
  const rows = await queryUsage(host.db, {
    productId,
    userId: given.user_id ?? null,
    since,
    until,
    by,
    after: given.cursor === undefined ? null : cursorParameter(given.cursor, by),
    limit,
    prices: table?.prices ?? [],
  });
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return {
    data: rows.map((row) => recordOf(row, by)),
    next_cursor: last === undefined ? null : formatPosition(by, last.keys),
    currency: table?.currency ?? null,
    since,
    until,
  };
}

function recordOf(
  { keys, amounts, costMicros, unpricedTokens }: UsageGroupRow,
  by: readonly UsageGroup[],
): UsageRecord {
  const { turns, failed_turns, tool_calls, turn_ms, ...calls } = amounts;
  const ofTurns = { turns, failed_turns, tool_calls, turn_ms };
  const none = { turns: null, failed_turns: null, tool_calls: null, turn_ms: null };
  return {
    ...Object.fromEntries(keysOf(by).map((column, at) => [column, keys[at]])),
    ...calls,
    ...(by.includes("model") ? none : ofTurns),
    // Null, since a cost without some models would look complete.
    cost_micros: unpricedTokens > 0 ? null : costMicros,
    unpriced_tokens: unpricedTokens,
  };
}

function dayParameter(name: string, text: string): string {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && dayOf(Date.parse(text)) === text;
  if (!isDay) throw new InvalidInput(name, "expected a UTC day as YYYY-MM-DD");
  return text;
}

function groupsParameter(text: string, groups: readonly UsageGroup[]): readonly UsageGroup[] {
  const names = text.split(",");
  const by = names.flatMap((name) => groups.find((group) => group === name) ?? []);
  if (by.length !== names.length || new Set(by).size !== by.length)
    throw new InvalidInput("by", `expected one or more of ${groups.join(", ")}, separated by commas`);
  return by;
}

const formatPosition = (by: readonly UsageGroup[], keys: readonly string[]): string =>
  Buffer.from(JSON.stringify([by.join(","), ...keys])).toString("base64url");

/** Throws for a cursor of a list with another grouping, since it would give a wrong page. */
function cursorParameter(text: string, by: readonly UsageGroup[]): readonly string[] {
  const invalid = new InvalidInput("cursor", "expected the next_cursor of the previous page of this list");
  let position: unknown;
  try {
    position = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
  } catch {
    throw invalid;
  }
  const columns = keysOf(by);
  const [group, ...keys]: readonly unknown[] = Array.isArray(position) ? position : [];
  const isKey = (key: unknown): key is string => typeof key === "string" && !key.includes("\0");
  if (group !== by.join(",") || keys.length !== columns.length || !keys.every(isKey)) throw invalid;
  const dayAt = columns.indexOf("day");
  if (dayAt !== -1) dayParameter("cursor", keys[dayAt] ?? "");
  return keys;
}
