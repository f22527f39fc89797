import type { UsageGroup, UsagePage, UsageRecord } from "../contract/usage-records.ts";
import { queryOf } from "./address.ts";
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

type Get = (path: string, options: CallOptions) => Promise<UsagePage>;

/** Every record of a list. Pages are fetched as they are read. */
export function readUsage(get: Get, path: string, options: AdminUsageOptions): AsyncGenerator<UsageEntry> {
  const { since, until, by, userId, productId, pageSize = 200, signal } = options;
  const query = { since, until, by: by?.join(","), user_id: userId, product_id: productId, limit: pageSize };
  return readPages(async (cursor) => {
    const { data, currency, ...page } = await get(path + queryOf({ ...query, cursor }), { signal });
    const all = { currency, since: page.since, until: page.until };
    return { data: data.map((record) => ({ ...record, ...all })), next_cursor: page.next_cursor };
  });
}
