import { readFileSync, statSync } from "node:fs";
import {
  MAX_PRICE_TABLE_BYTES,
  type PriceTable,
  type PriceTableOutcome,
  readPriceTable,
} from "../../contract/orchestrator/price-table.ts";
import { errorCode } from "../../shared/error-code.ts";

/** The price table in effect. */
export class Prices {
  readonly #file: string | null;
  readonly #listeners: (() => void)[] = [];
  #table: PriceTable | null;

  /** `file`: `ORCH_PRICES`, null when it is unset. `table`: as it was read at the start. */
  constructor(file: string | null, table: PriceTable | null) {
    this.#file = file;
    this.#table = table;
  }

  get table(): PriceTable | null {
    return this.#table;
  }

  /** Called after each reload. */
  onReload(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Reads the file again. An invalid one leaves the table unchanged. */
  reload(): PriceTableOutcome {
    if (this.#file === null)
      return { kind: "invalid", problems: ["not set; set it to the path of a price table and restart the daemon"] };
    const outcome = readPriceFile(this.#file);
    if (outcome.kind === "read") {
      this.#table = outcome.table;
      for (const listener of this.#listeners) listener();
    }
    return outcome;
  }
}

export function readPriceFile(file: string): PriceTableOutcome {
  try {
    const { size } = statSync(file);
    if (size > MAX_PRICE_TABLE_BYTES)
      return { kind: "invalid", problems: [`expected at most ${MAX_PRICE_TABLE_BYTES} bytes, got ${size}`] };
    return readPriceTable(readFileSync(file, "utf8"));
  } catch (error) {
    return { kind: "invalid", problems: [`the file cannot be read (${errorCode(error) ?? String(error)})`] };
  }
}
