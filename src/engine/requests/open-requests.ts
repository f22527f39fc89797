import type { EngineLaunch } from "../../contract/engine-launch.ts";
import type { EngineConfig } from "../../contract/engine-settings.ts";
import type { Logger } from "../../shared/logger.ts";
import { contextWindow } from "../model/context-window.ts";
import { ModelRequestTable } from "../store/model-requests.ts";
import type { Store } from "../store/open-store.ts";
import { KeptRequests } from "./kept-requests.ts";

/** `requests` is null when none are kept. The table may still hold those of an earlier process. */
export function openRequests({
  store,
  config,
  launch,
  logger,
}: {
  readonly store: Store;
  readonly config: Pick<EngineConfig, "keepRequests" | "apiKey" | "contextWindow">;
  readonly launch: Pick<EngineLaunch, "control_token">;
  readonly logger: Logger;
}): { readonly table: ModelRequestTable; readonly requests: KeptRequests | null } {
  const table = new ModelRequestTable(store);
  if (!config.keepRequests) return { table, requests: null };
  const secrets = [config.apiKey ?? "", launch.control_token];
  const windowOf = (model: string) => contextWindow(model, config.contextWindow);
  return { table, requests: new KeptRequests({ table, secrets, windowOf, logger }) };
}
