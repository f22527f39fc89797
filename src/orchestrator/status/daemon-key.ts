import { ENGINE_KEY_PREFIX } from "../../contract/orchestrator/api-keys.ts";
import type { HostContext } from "../host-context.ts";

/**
 * The daemon's own key of an engine, for the calls of the console's sessions. It is derived, so that every daemon of
 * the deployment can compute it and none stores it.
 */
export const daemonKey = ({ box }: Pick<HostContext, "box">, engineId: string): string =>
  ENGINE_KEY_PREFIX + box.token("engine key", engineId);
