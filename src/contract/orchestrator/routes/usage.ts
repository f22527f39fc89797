import { drainRequest } from "../requests.ts";
import { type Parameter, PAGE, ok } from "../../route-table.ts";
import { type Route, admin, platform } from "./route-row.ts";

const RANGE = {
  since: { kind: "text", maxLength: 10, summary: "First UTC day, `YYYY-MM-DD`. Default: the first of this month" },
  until: { kind: "text", maxLength: 10, summary: "Last UTC day. Default: today" },
} as const satisfies Record<string, Parameter>;
const USER: Parameter = { kind: "text", summary: "Only this user" };
const by = (groups: string, fallback: string): Parameter => ({
  kind: "text",
  maxLength: 40,
  summary: `What to group by, separated by commas: ${groups}. Default: ${fallback}`,
});

/** The usage and cost of users. */
export const USAGE_ROUTES = {
  listUsage: platform("GET /usage", "List [what the product's users have spent](operating.md#what-a-user-costs)", {
    role: "viewer",
    query: { ...PAGE, ...RANGE, by: by("plan, user, day, model", "user"), user_id: USER },
    responses: ok("UsagePage"),
  }),
  engineUsage: platform(
    "GET /engines/{user_id}/usage",
    "List what one user has spent, also after the engine is destroyed",
    { role: "viewer", query: { ...PAGE, ...RANGE, by: by("day, model", "day") }, responses: ok("UsagePage") },
  ),
  adminUsage: admin("GET /admin/usage", "List what the users of every product have spent", {
    role: "viewer",
    query: {
      ...PAGE,
      ...RANGE,
      by: by("product, plan, user, day, model", "product"),
      product_id: { kind: "text", summary: "Only this product, by id or slug" },
      user_id: USER,
    },
    responses: ok("UsagePage"),
    errors: ["PRODUCT_NOT_FOUND"],
  }),
  reloadPrices: admin("POST /admin/prices/reload", "Read the price table again; 400 names its faults", {
    role: "admin",
    clientMethod: "reloadPrices",
    request: drainRequest,
    responses: ok("PricesRecord"),
  }),
} satisfies Record<string, Route>;
