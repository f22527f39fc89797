import type { Policy, PolicyPatch, ProductRecord } from "../../contract/orchestrator-api.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { lockProduct, updatePolicy } from "../store/products.ts";
import { changeEngineEnv } from "../store/engine-env.ts";
import { changeProduct } from "./change-product.ts";
import type { HostContext } from "../host-context.ts";

/** Merges a patch into a product's policy, effective from the product's next call. Tested in test/cli/products.test.ts. */
export function setPolicy(
  host: Pick<HostContext, "db" | "events" | "directory" | "box" | "settings">,
  idOrSlug: string,
  patch: PolicyPatch,
): Promise<ProductRecord> {
  assertToolPorts(host, patch);
  return changeProduct(host, idOrSlug, {
    type: "product.policy_changed",
    detail: describePatch(patch),
    change: async (trx, product) => {
      const env = changeEngineEnv(host, product, patch.engine_env);
      await updatePolicy(trx, product.record.id, { policy: patchedPolicy(product.record.policy, patch), ...env });
      return lockProduct(trx, product.record.id);
    },
  });
}

/** A tool on a port of an engine would keep that engine from starting, or reach it past the proxy. */
export function assertToolPorts(
  { settings: { portRange } }: Pick<HostContext, "settings">,
  { tool_listen: ports = [] }: PolicyPatch,
  prefix = "",
): void {
  const { min, max } = portRange;
  const at = ports.findIndex((port) => port >= min && port <= max);
  if (at !== -1)
    throw new InvalidInput(`${prefix}tool_listen.${at}`, `expected a port outside ${min} to ${max}, which engines use`);
}

/** The fields that a patch sets, for the audit log. Of `engine_env`, which holds secrets, only the names. */
export function describePatch({ engine_env: env, ...fields }: PolicyPatch): Record<string, unknown> {
  return env === undefined ? fields : { ...fields, engine_env_names: Object.keys(env) };
}

/** The policy with the fields of the patch. `engine_env` is stored sealed in its own column. */
export function patchedPolicy(policy: Policy, { engine_env: _, ...fields }: PolicyPatch): Policy {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { ...policy, ...(Object.fromEntries(given) as Partial<Policy>) };
}
