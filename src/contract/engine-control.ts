import * as z from "zod/mini";
import { integer } from "../shared/parse.ts";
import { engineKey } from "./engine-launch.ts";
import type { AwakeReason } from "./sleep.ts";

/** The daemon's own calls to an engine, authenticated by the token of its incarnation. */
export const CONTROL_TOKEN_HEADER = "X-Control-Token";

export const CONTROL_PATHS = {
  /** `POST {keys}`: the whole list of accepted keys. Answers `{"keys":n}`. Open streams continue. */
  keys: "/control/keys",
  /** `POST`: accept no new turns (503 `ENGINE_DRAINING`). Answers {@link EngineStatus}. */
  drain: "/control/drain",
  /** `POST {idle_ms}`: exit with `slept` unless there is work. Refused with 409 `ENGINE_BUSY`. Answers {@link EngineStatus}. */
  sleep: "/control/sleep",
  /** `GET`: {@link EngineStatus}. */
  status: "/control/status",
} as const;

export const isControlPath = (path: string | undefined): boolean => path?.startsWith("/control/") ?? false;

export const controlKeysRequest = z.object({ keys: z.array(engineKey) });
/** `idle_ms`: refused when the last work ended less than this ago. */
export const controlSleepRequest = z.object({ idle_ms: integer(0) });

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
  /** The size of the engine's folder; null before it was measured. An engine of an earlier release does not tell it. */
  readonly disk_bytes?: number | null | undefined;
}
