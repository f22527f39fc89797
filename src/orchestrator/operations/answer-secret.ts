import type { AnswerTo, Asked } from "../../contract/broker/questions.ts";
import { ApiError } from "../api-error.ts";
import type { HostContext } from "../host-context.ts";
import { SourceFailed } from "../secrets/read-source.ts";
import { layersOf } from "../store/planned-policy.ts";
import { findCurrentStart } from "./answer-broker.ts";
import { findSecretFor } from "../store/secrets.ts";
import type { EngineRow } from "../store/tables.ts";

type SecretHost = Pick<HostContext, "db" | "secrets" | "directory" | "logger">;

/** The value of a secret, for a request of an engine that runs. */
export async function answerSecret(
  host: SecretHost,
  { engine, incarnation, name }: Asked<"secret">,
): Promise<AnswerTo<"secret">> {
  const row = await callerOf(host, { engine, incarnation });
  const { product_id: productId, user_id: userId } = row;
  const policy = await host.directory.policyOfEngine({ productId, layers: layersOf(row) });
  if (policy === null) return { secret: null };
  try {
    const secret = await host.secrets.open({ productId, userId, name });
    const { tool_network: network } = policy;
    return { secret: secret && { ...secret, network: typeof network === "string" ? network : [...network] } };
  } catch (error) {
    if (!(error instanceof SourceFailed)) throw error;
    host.logger.warn({ product_id: productId, secret: name, reason: error.message }, "failed to read a secret");
    return { secret: null };
  }
}

/** Where secrets may go. Their values are not opened. */
export async function answerSecretHosts(
  host: Pick<HostContext, "db">,
  { engine, incarnation, names }: Asked<"secret_hosts">,
): Promise<AnswerTo<"secret_hosts">> {
  const { product_id: productId, user_id: userId } = await callerOf(host, { engine, incarnation });
  const hosts: Record<string, string[]> = {};
  for (const name of new Set(names)) {
    const row = await findSecretFor(host.db, { productId, userId, name });
    if (row !== null) hosts[name] = row.hosts;
  }
  return { hosts };
}

/** Writes the event of a request that was refused. The broker limits how many there are. */
export async function answerMisused(
  host: Pick<HostContext, "db" | "events">,
  { engine, incarnation, name, misuse, host: target }: Asked<"misused">,
): Promise<AnswerTo<"misused">> {
  const row = await callerOf(host, { engine, incarnation });
  await host.events.insert(host.db, {
    type: "secret.misused",
    engine: row,
    reason: misuse,
    data: { name, host: target },
  });
  return {};
}

async function callerOf(host: Pick<HostContext, "db">, { engine, incarnation }: Asked<"engine">): Promise<EngineRow> {
  const row = await findCurrentStart(host.db, { engine, incarnation });
  if (row !== null) return row;
  throw new ApiError("ENGINE_NOT_RUNNING", "this start of the engine has ended");
}
