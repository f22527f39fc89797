import type { ModelCooldown, ModelRules as PolicyRules } from "../../contract/engine/models.ts";
import type { EngineLaunch } from "../../contract/engine/launch.ts";
import type { Logger } from "../../shared/logger.ts";
import type { EngineConfig } from "../config.ts";
import type { ReadAttachment } from "../model/attachments/load-attachments.ts";
import { windowsOf } from "../model/context-window.ts";
import { createEmbedder } from "../model/embedder.ts";
import type { CallMeter } from "../model/metered-provider.ts";
import { ModelCooldowns } from "../model/model-cooldowns.ts";
import { ModelRules } from "../model/model-rules.ts";
import { openProviders } from "../model/open-providers.ts";
import { ModelRequestLog } from "../requests/model-request-log.ts";
import { ModelRequestTable } from "../store/model-requests.ts";
import type { Store } from "../store/open-store.ts";
import { UsageTable } from "../store/usage-table.ts";
import type { EngineTelemetry } from "../telemetry/engine-telemetry.ts";
import { BudgetGate } from "../usage/budget-gate.ts";
import { UsageMeter } from "../usage/usage-meter.ts";

/** The models of an engine, the ledger and the budgets of their calls, and the stored requests. */
export function openModel({
  launch,
  config,
  store,
  readAttachment,
  telemetry,
  logger,
}: {
  readonly launch: EngineLaunch;
  readonly config: EngineConfig;
  readonly store: Store;
  readonly readAttachment: ReadAttachment;
  readonly telemetry: EngineTelemetry;
  readonly logger: Logger;
}) {
  const ledger = new UsageTable(store);
  const meter = new UsageMeter({ store, table: ledger, logger });
  const budgets = new BudgetGate({ table: ledger, transaction: (work) => store.transaction(work) });
  if (launch.budgets !== undefined) budgets.set(launch.budgets);
  const requestTable = new ModelRequestTable(store);
  const { embeddings } = config;
  const keys = [config, ...config.upstreams.values(), ...(embeddings ? [embeddings] : [])].map(
    ({ apiKey = "" }) => apiKey,
  );
  const secrets = [...keys, launch.control_token];
  const windowOf = windowsOf(config);
  /** Null when none are kept. The table may still hold those of an earlier process. */
  const requests = config.keepRequests ? new ModelRequestLog({ table: requestTable, secrets, windowOf, logger }) : null;
  const calls: CallMeter = {
    admit: (call, signal) => budgets.admit(call, signal),
    record: (call) => meter.modelCall(call),
    hasBudgets: () => budgets.hasLimits,
  };
  const { extra_ca_certs: extraCaCerts } = launch;
  const provider = openProviders(config, {
    extraCaCerts,
    readAttachment,
    logger,
    telemetry,
    meter: calls,
    recorder: requests,
  });
  const embedder = embeddings === null ? undefined : createEmbedder(embeddings, { meter: calls, extraCaCerts });
  const models = { rules: new ModelRules(config, launch.models), cooldowns: new ModelCooldowns() };
  /** From the daemon. */
  const setModels = ({ cooldowns, ...policy }: PolicyRules & { readonly cooldowns: readonly ModelCooldown[] }) => {
    models.rules.setPolicy(policy);
    for (const { model, ...cooldown } of cooldowns)
      models.cooldowns.told({ model: models.rules.resolve(model), ...cooldown });
  };
  return {
    provider,
    embedder,
    models,
    setModels,
    meter,
    budgets,
    requests,
    requestTable,
    close: () => requests?.flush(),
  };
}
export type EngineModel = ReturnType<typeof openModel>;
