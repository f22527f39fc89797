import {
  USAGE_LIMITS,
  type UsageAmounts,
  type UsageCursor,
  type UsageReport,
  dayOf,
} from "../../contract/engine/metered-usage.ts";
import type { Clock } from "../../shared/clock.ts";
import type { Logger } from "../../shared/logger.ts";
import type { Store } from "../store/open-store.ts";
import type { UsageKey, UsageTable } from "../store/usage-table.ts";

const DAY_MS = 86_400_000;

/** Tokens of one call of a model. */
export interface SpentTokens {
  readonly provider: string;
  readonly model: string;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** The call ended without the provider's count. */
  readonly isEstimate: boolean;
}

export interface SpentTurn {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly toolCalls: number;
  readonly failed: boolean;
}

interface MeterParts {
  readonly store: Store;
  readonly table: UsageTable;
  readonly logger: Logger;
  readonly now?: Clock;
}

/** Counts what the engine spends: model calls of turns, compaction, sub-agents and learning, and turns. */
export class UsageMeter {
  readonly #parts: Required<MeterParts>;
  /** What could not be stored, such as on a full disk. */
  #unstored: { readonly key: UsageKey; readonly amounts: Partial<UsageAmounts> }[] = [];

  constructor(parts: MeterParts) {
    this.#parts = { now: Date.now, ...parts };
  }

  /** Stores a model call at once: a killed engine has counted every call whose usage it knew. */
  modelCall({ provider, model, input, output, cacheRead, cacheWrite, isEstimate }: SpentTokens): void {
    const key = { day: dayOf(this.#parts.now()), provider: nameOf(provider), model: nameOf(model) };
    const amounts = {
      model_calls: 1,
      estimated_calls: isEstimate ? 1 : 0,
      input_tokens: input,
      output_tokens: output,
      cache_read_tokens: cacheRead,
      cache_write_tokens: cacheWrite,
    };
    this.#unstored.push({ key, amounts });
    this.store();
  }

  /** Stores pending usage. False when that fails; the next call retries it. */
  store(): boolean {
    const { store, table, logger } = this.#parts;
    if (this.#unstored.length === 0) return true;
    try {
      store.transaction(() => {
        for (const { key, amounts } of this.#unstored) table.add(key, amounts);
      });
      this.#unstored = [];
      return true;
    } catch (error) {
      logger.error({ err: error, calls: this.#unstored.length }, "failed to store the usage of model calls");
      return false;
    }
  }

  /** Runs in the transaction that stores the end of the turn. */
  turnEnded({ startedAt, endedAt, toolCalls, failed }: SpentTurn): void {
    this.#parts.table.add(
      { day: dayOf(endedAt), provider: "", model: "" },
      { turns: 1, failed_turns: failed ? 1 : 0, tool_calls: toolCalls, turn_ms: Math.max(0, endedAt - startedAt) },
    );
  }

  /** What has changed since `known`, of which another ledger counts as nothing. Undefined when nothing has. */
  report(known: UsageCursor | null): UsageReport | undefined {
    this.store();
    const { table } = this.#parts;
    const { ledger } = table;
    if (ledger === null) return undefined;
    const after = known?.ledger === ledger ? known.revision : 0;
    const found = table.changedAfter(after, USAGE_LIMITS.rowsPerReport + 1);
    const rows = found.slice(0, USAGE_LIMITS.rowsPerReport);
    const last = rows.at(-1);
    if (last === undefined) return undefined;
    return { ledger, revision: last.revision, rows, more: found.length > rows.length };
  }

  /** Of the last change. */
  get revision(): number {
    return this.#parts.table.revision;
  }

  prune(): void {
    this.#parts.table.prune(dayOf(this.#parts.now() - USAGE_LIMITS.keptDays * DAY_MS));
  }
}

/** The name of a model comes from a product's catalog. */
const nameOf = (text: string): string =>
  text
    .replaceAll(/\p{Cc}/gu, " ")
    .slice(0, USAGE_LIMITS.nameLength)
    .toWellFormed() || "unknown";
