import type { AdminUsageParams } from "./orchestrator-routes.ts";
import type { UsagePage, UsageRecord } from "./records.ts";
import type { UsageGroup } from "../contract/orchestrator/usage-groups.ts";
import type { CallOptions } from "./http-call.ts";
import { readPages } from "./pages.ts";

/** Which usage: of which UTC days, both included, and how it is grouped. */
export interface UsageOptions extends CallOptions {
  /** `YYYY-MM-DD`; the first of this month by default. */
  readonly since?: string | undefined;
  /** `YYYY-MM-DD`; today by default. */
  readonly until?: string | undefined;
  readonly by?: readonly UsageGroup[] | undefined;
  readonly userId?: string | undefined;
  readonly pageSize?: number | undefined;
}

export interface AdminUsageOptions extends UsageOptions {
  /** By id or slug. */
  readonly productId?: string | undefined;
}

/** A record of usage, with the fields of its page. */
export type UsageEntry = UsageRecord & Pick<UsagePage, "currency" | "since" | "until">;

/** Every record of a list. Pages are fetched as they are read. */
export function readUsage(
  fetchPage: (query: AdminUsageParams & CallOptions) => Promise<UsagePage>,
  options: AdminUsageOptions,
): AsyncGenerator<UsageEntry> {
  const { by, pageSize: limit = 200, ...given } = options;
  return readPages(async (cursor) => {
    const { data, currency, ...page } = await fetchPage({ ...given, by: by?.join(","), limit, cursor });
    const all = { currency, since: page.since, until: page.until };
    return { data: data.map((record) => ({ ...record, ...all })), next_cursor: page.next_cursor };
  });
}
