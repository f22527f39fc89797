import type { EngineRecord } from "@orchd/client";
import { engines } from "./fleet.ts";

/** An engine by its id: null if there is none, undefined until the fleet was read. */
export const engineById = (id: string): EngineRecord | null | undefined =>
  engines.value === null ? undefined : (engines.value.get(id) ?? null);
