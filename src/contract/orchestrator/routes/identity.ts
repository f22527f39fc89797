import { rotateIdentityKeyRequest } from "../identity-token.ts";
import { ok } from "../../route-table.ts";
import { type Route, admin, open } from "./route-row.ts";

/** Keys of the tokens that say for which user an agent acts. */
export const IDENTITY_ROUTES = {
  identityKeys: open("GET /.well-known/jwks.json", "Get the keys that verify [identity tokens](identity.md)", {
    responses: ok("IdentityKeys"),
    errors: ["SERVICE_UNAVAILABLE"],
  }),
  identityIssuer: open(
    "GET /.well-known/openid-configuration",
    "Get the issuer of [identity tokens](identity.md) and the address of its keys",
    { responses: ok("IdentityIssuer"), errors: ["NOT_FOUND"] },
  ),
  rotateIdentityKey: admin(
    "POST /admin/identity/rotate-key",
    "Replace the key that signs [identity tokens](identity.md#rotation)",
    {
      role: "admin",
      clientMethod: "rotateIdentityKey",
      request: rotateIdentityKeyRequest,
      repeatable: false,
      responses: ok("IdentityKeyRotation"),
      errors: ["OPERATION_IN_PROGRESS"],
    },
  ),
} satisfies Record<string, Route>;
