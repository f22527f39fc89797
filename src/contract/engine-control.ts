import * as z from "zod/mini";
import { integer } from "../shared/parse.ts";
import { catalogVersion, engineKey } from "./engine-launch.ts";
import type { BudgetReport } from "./engine-budgets.ts";
import { ENGINE_METRIC_LIMITS, type EngineMetricsReport } from "./engine-metrics.ts";
import type { UsageReport } from "./metered-usage.ts";
import type { AwakeReason } from "./sleep.ts";

/** The daemon's own calls to an engine, authenticated by the token of its incarnation. */
export const CONTROL_TOKEN_HEADER = "X-Control-Token";

export const CONTROL_PATHS = {
  /** `POST {keys}`: the whole list of accepted keys. Answers `{"keys":n}`. Open streams continue. */
  keys: "/control/keys",
  /** `POST` {@link EngineBudgets}: replaces the budgets, at once. Answers {@link EngineStatus}. */
  budgets: "/control/budgets",
  /** `POST {version, digest}`: use this version of the product's catalog. Answers `{"version":n}`, or 422. */
  catalog: "/control/catalog",
  /** `POST`: accept no new turns (503 `ENGINE_DRAINING`). Answers {@link EngineStatus}. */
  drain: "/control/drain",
  /** `POST {idle_ms}`: exit with `slept` unless there is work. Refused with 409 `ENGINE_BUSY`. Answers {@link EngineStatus}. */
  sleep: "/control/sleep",
  /**
   * `GET`: {@link EngineStatus}. `?metrics=` with the revision that the daemon has, or empty, adds the metrics; `?usage=`
   * with its position in the ledger, or empty, adds what has been spent since.
   */
  status: "/control/status",
  /** `POST {key, request}`: start a turn once for each key; answers when it is stored. `GET ?key=` or `?turn_id=`: its state. */
  turns: "/control/turns",
} as const;

export const isControlPath = (path: string | undefined): boolean => path?.startsWith("/control/") ?? false;

export const controlKeysRequest = z.object({ keys: z.array(engineKey) });
export const controlCatalogRequest = z.object(catalogVersion);
/** `idle_ms`: refused when the last work ended less than this ago. */
export const controlSleepRequest = z.object({ idle_ms: integer(0) });

const { samples: MAX_SAMPLES, nameLength: MAX_NAME } = ENGINE_METRIC_LIMITS;
const name = z.string().check(z.maxLength(MAX_NAME));
/** Exact as a double, also as the sum of many engines. */
const total = z.number().check(z.gte(0), z.lte(1e12));
const samples = z
  .array(z.tuple([name, z.array(name).check(z.maxLength(8)), z.union([total, z.array(total).check(z.maxLength(32))])]))
  .check(z.maxLength(MAX_SAMPLES));

export const engineMetricsReport = z.object({
  revision: z.int().check(z.gte(0)),
  samples,
  before: z.exactOptional(samples),
}) satisfies z.ZodMiniType<EngineMetricsReport>;

export interface EngineStatus {
  /** While it drains, turns that wait for a person do not count. */
  readonly active_turns: number;
  readonly pending_hitl: number;
  readonly streams: number;
  readonly draining: boolean;
  /** ISO time of the last turn event, or `null`. */
  readonly last_active_at: string | null;
  /** ISO time when the last work ended, or `null` while there is work. */
  readonly idle_since: string | null;
  readonly awake: readonly AwakeReason[];
  /** The size of the engine's folder; null before it was measured. Omitted by engines of earlier releases. */
  readonly disk_bytes?: number | null | undefined;
  /** On request, if they have changed. */
  readonly metrics?: EngineMetricsReport;
  /** The last revision of the ledger. Omitted by engines of earlier releases. */
  readonly usage_revision?: number | undefined;
  /** Omitted without budgets. */
  readonly budgets?: BudgetReport;
  /** On request, if anything has been spent since. */
  readonly usage?: UsageReport;
}
