/** What usage can be grouped by. `product` is for operators. */
export const USAGE_GROUPS = ["product", "plan", "user", "day", "model"] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];
