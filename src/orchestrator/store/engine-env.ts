import * as z from "zod/mini";
import type { PolicyPatch } from "../../contract/orchestrator/requests.ts";
import type { Product } from "./products.ts";
import type { SealedBox } from "./sealed-box.ts";

interface Sealing {
  readonly box: SealedBox;
}

interface SealedEnv {
  readonly sealedEngineEnv: Buffer | null;
  readonly engineEnvNames: readonly string[];
}

const engineEnv = z.record(z.string(), z.string());

/** Decrypts the engine settings of a product. */
export function openEngineEnv(
  { box }: Sealing,
  { sealedEngineEnv }: Pick<Product, "sealedEngineEnv">,
): Record<string, string> {
  return sealedEngineEnv === null ? {} : z.parse(engineEnv, JSON.parse(box.open(sealedEngineEnv)));
}

/** Merges a change into a product's engine settings: a value sets a name, null removes it, other names stay. */
export function changeEngineEnv(
  { box }: Sealing,
  before: Pick<Product, "sealedEngineEnv">,
  change: NonNullable<PolicyPatch["engine_env"]> | undefined,
): SealedEnv {
  const merged = { ...openEngineEnv({ box }, before), ...change };
  const entries = Object.entries(merged).filter((entry): entry is [string, string] => entry[1] !== null);
  return {
    sealedEngineEnv: entries.length === 0 ? null : box.seal(JSON.stringify(Object.fromEntries(entries))),
    engineEnvNames: entries.map(([name]) => name).sort(),
  };
}
