import { createHash } from "node:crypto";
import {
  IDENTITY_ALGORITHM,
  IDENTITY_KEYS_MAX_AGE_S,
  rotateIdentityKeyRequest,
} from "../../contract/orchestrator/identity-token.ts";
import { ApiError } from "../api-error.ts";
import type { HostContext } from "../host-context.ts";
import { rotateIdentityKey } from "../operations/rotate-identity-key.ts";
import type { Handler } from "./call.ts";

const CACHED = `public, max-age=${IDENTITY_KEYS_MAX_AGE_S}`;

/** The keys of identity tokens. Anyone may read them, from memory. */
export function identityRoutes(host: Pick<HostContext, "db" | "events" | "box" | "identityTokens" | "settings">) {
  return {
    identityKeys: async ({ response }) => {
      const body = JSON.stringify(await host.identityTokens.published());
      const tag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`;
      response.set({ "Cache-Control": CACHED, ETag: tag, "Content-Type": "application/json" });
      if (response.req.fresh) response.status(304).end();
      else response.send(body);
      return undefined;
    },
    identityIssuer: async ({ response }) => {
      const issuer = host.settings.publicUrl;
      if (issuer === null)
        throw new ApiError("NOT_FOUND", "this host issues no identity tokens: ORCH_PUBLIC_URL is not set");
      response.set("Cache-Control", CACHED);
      const body = {
        issuer,
        jwks_uri: `${issuer}/.well-known/jwks.json`,
        id_token_signing_alg_values_supported: [IDENTITY_ALGORITHM],
        response_types_supported: ["id_token"],
        subject_types_supported: ["public"],
      };
      return { status: 200, body };
    },
    rotateIdentityKey: async (call) => {
      const { at_once: atOnce = false } = call.body(rotateIdentityKeyRequest);
      return { status: 200, body: await rotateIdentityKey(host, { atOnce }) };
    },
  } satisfies Record<string, Handler>;
}
