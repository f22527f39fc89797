import type { AnswerTo, Asked } from "../../contract/broker/questions.ts";
import { ApiError } from "../api-error.ts";
import type { HostContext } from "../host-context.ts";
import { findCurrentStart } from "./answer-broker.ts";

/**
 * A token for a call of an engine. User and product are of the daemon's records: the key of a start opens no other, and a
 * start that has ended gets none.
 */
export async function answerIdentity(
  { db, directory, identityTokens, settings }: Pick<HostContext, "db" | "directory" | "identityTokens" | "settings">,
  { audience, agent, ...start }: Asked<"identity">,
): Promise<AnswerTo<"identity">> {
  const issuer = settings.publicUrl;
  if (issuer === null)
    throw new ApiError("NOT_FOUND", "this host issues no identity tokens: ORCH_PUBLIC_URL is not set");
  const engine = await findCurrentStart(db, start);
  const product = engine === null ? null : await directory.named(engine.product_id);
  if (engine === null || product === null)
    throw new ApiError("ENGINE_NOT_RUNNING", "this start of the engine has ended");
  const claims = { userId: engine.user_id, product: product.record.slug, engineId: engine.id, agent, audience };
  return { token: await identityTokens.sign(issuer, claims) };
}
