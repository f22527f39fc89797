import type { ProductRecord } from "../src/contract/orchestrator-records.ts";
import { fields, safe } from "./output.ts";

const atMost = (limit: number | null): string => (limit === null ? "no limit" : String(limit));

export function describeProduct(product: ProductRecord): string {
  const {
    slug,
    name,
    id,
    policy,
    engine_env_names,
    engine_env_values: values,
    platform_key: key,
    created_at,
  } = product;
  const describeSetting = (setting: string) =>
    Object.hasOwn(values, setting) ? `${setting}=${values[setting]}` : `${setting} (secret)`;
  return fields([
    ["product", `${slug}${name === null ? "" : ` (${safe(name)})`}`],
    ["id", id],
    ["registered", created_at],
    [
      "platform key",
      key.prefix === null ? null : `${safe(key.prefix)}…${safe(key.last4 ?? "")} since ${key.created_at}`,
    ],
    ["max engines", atMost(policy.max_engines)],
    ["requests/minute", atMost(policy.requests_per_minute)],
    ["allowed", policy.allowed_actions.join(", ") || "nothing"],
    ["suspended", policy.suspended ? "yes" : "no"],
    ["drain", `${policy.drain_s} s`],
    ["memory", `${policy.memory_mb} MB per engine`],
    ["processes", `${policy.max_processes} per engine`],
    ["disk", `${policy.disk_mb} MB per engine`],
    ["CPU weight", `${policy.cpu_weight}`],
    [
      "tool network",
      typeof policy.tool_network === "string" ? policy.tool_network : safe(policy.tool_network.join(", ")),
    ],
    ["tool ports", policy.tool_listen.join(", ") || "none"],
    ["engine env", engine_env_names.map(describeSetting).join(", ") || null],
  ]);
}
