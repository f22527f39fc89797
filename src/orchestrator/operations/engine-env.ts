import type { PolicyPatch } from "../../contract/orchestrator-api.ts";
import type { Product } from "../store/products.ts";
import { openEngineEnv } from "./launch-order.ts";
import type { Orchestration } from "./orchestration.ts";

export interface SealedEnv {
  readonly sealedEngineEnv: Buffer | null;
  readonly engineEnvNames: readonly string[];
}

/** A product's engine settings after a change: names given are set, or taken back by null; the others stay. */
export function changeEngineEnv(
  o: Orchestration,
  before: Pick<Product, "sealedEngineEnv">,
  change: NonNullable<PolicyPatch["engine_env"]> | undefined,
): SealedEnv {
  const merged = { ...openEngineEnv(o, before), ...change };
  const kept = Object.entries(merged).filter((entry): entry is [string, string] => entry[1] !== null);
  return {
    sealedEngineEnv: kept.length === 0 ? null : o.box.seal(JSON.stringify(Object.fromEntries(kept))),
    engineEnvNames: kept.map(([name]) => name).sort(),
  };
}
