import * as z from "zod/mini";
import { engineKey } from "./engine-launch.ts";

/** The daemon's own calls to an engine, authenticated by the token of its incarnation. */
export const CONTROL_TOKEN_HEADER = "X-Control-Token";

export const CONTROL_PATHS = {
  /** `POST {keys}`: the keys accepted from now on, the whole list. Answers `{"keys":n}`. Open streams go on. */
  keys: "/control/keys",
  /** `POST`: take no new turns (503 `ENGINE_DRAINING`). Answers {@link EngineStatus}. */
  drain: "/control/drain",
  /** `GET`: {@link EngineStatus}. */
  status: "/control/status",
} as const;

export const controlKeysRequest = z.object({ keys: z.array(engineKey) });

export interface EngineStatus {
  /** Once it drains: those that get further without a person, for nobody waits for the others. */
  readonly active_turns: number;
  readonly pending_hitl: number;
  readonly streams: number;
  readonly draining: boolean;
  /** ISO time of the last turn event, or `null`. */
  readonly last_active_at: string | null;
}
