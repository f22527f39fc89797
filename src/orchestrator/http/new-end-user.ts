import { newId } from "../../shared/ids.ts";
import { withinRequest } from "../../shared/request-context.ts";
import { NO_SPAN } from "../../shared/tracing/span.ts";
import { ApiError } from "../api-error.ts";
import type { HostContext } from "../host-context.ts";
import type { AutoProvision } from "../operations/auto-provision.ts";
import type { Refusal } from "../operations/reach-engine.ts";
import type { Principal } from "../status/principal.ts";

const RETRY_AFTER_S = 5;

/** Creates the engine of a new user of the product's identity provider, if the policy allows it. The refusal when not. */
export async function provisionEndUser(
  { directory }: Pick<HostContext, "directory">,
  autoProvision: AutoProvision,
  { productId, userId }: Principal,
): Promise<Refusal | null> {
  const product = await directory.named(productId);
  if (product === null) return { code: "INVALID_TOKEN", message: "the product was deleted" };
  if (!product.record.policy.allowed_actions.includes("auto_provision"))
    return { code: "NOT_FOUND", message: "the user has no engine, and the policy does not allow auto_provision" };
  const origin = { requestId: newId("req"), actor: "product", span: NO_SPAN } as const;
  try {
    await withinRequest(origin, () => autoProvision.lookUp(product, { user_id: userId }));
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const message = `the engine cannot be created: ${error.message}`;
    return { code: "SERVICE_UNAVAILABLE", message, retryAfterS: error.retryAfterS ?? RETRY_AFTER_S };
  }
}
