import { userTokenRequest } from "../../contract/orchestrator/user-token.ts";
import type { EngineHost, Service } from "../host-context.ts";
import { createUserToken } from "../operations/create-user-token.ts";
import { revokeUserTokens } from "../operations/revoke-user-tokens.ts";
import type { Handler } from "./call.ts";
import { userParameter } from "./engine-routes.ts";

/** Tokens of end users. */
export function userTokenRoutes(host: EngineHost & Service) {
  return {
    createUserToken: async (call) => {
      const { ttl_s: ttlS, scope, tasks, metadata } = call.body(userTokenRequest);
      const options = { userId: userParameter(call), ttlS, scope, tasks, metadata };
      return { status: 201, body: await createUserToken(host, call.product, options), secret: true };
    },
    revokeUserTokens: async (call) => ({
      status: 200,
      body: await revokeUserTokens(host, call.product, userParameter(call)),
    }),
  } satisfies Record<string, Handler>;
}
