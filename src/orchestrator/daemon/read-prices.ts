import { isAbsolute } from "node:path";
import type { PriceTable } from "../../contract/price-table.ts";
import type { EnvironmentReader } from "../../shared/environment.ts";
import { readPriceFile } from "../status/prices.ts";

/** Both null without a price table. */
export interface PriceSettings {
  readonly file: string | null;
  readonly table: PriceTable | null;
}

/** Reads `ORCH_PRICES` and its file. Each problem of the file is reported separately. */
export function readPrices(read: EnvironmentReader): PriceSettings {
  const file = read.text("ORCH_PRICES") ?? null;
  if (file === null) return { file, table: null };
  if (!isAbsolute(file)) read.problem(`ORCH_PRICES: expected an absolute path, got "${file}"`);
  const outcome = readPriceFile(file);
  if (outcome.kind === "read") return { file, table: outcome.table };
  for (const problem of outcome.problems) read.problem(`ORCH_PRICES: ${problem}`);
  return { file, table: null };
}
