import { userTokenRequest } from "../user-token.ts";
import { json, ok } from "../../route-table.ts";
import { platform } from "./route-row.ts";

/** Tokens of end users. */
export const USER_TOKEN_ROUTES = {
  createUserToken: platform(
    "POST /engines/{user_id}/tokens",
    "Create a [token](browser.md) with which the user's browser calls the engine",
    {
      role: "operator",
      clientMethod: "createToken",
      request: userTokenRequest,
      repeatable: false,
      responses: { 201: [json("UserToken")] },
      errors: ["POLICY_DENIED", "ENGINE_NOT_FOUND"],
    },
  ),
  revokeUserTokens: platform(
    "POST /engines/{user_id}/tokens/revoke",
    "End all [tokens](browser.md#revoke) of a user, and the streams that they opened",
    {
      role: "operator",
      clientMethod: "revokeTokens",
      responses: ok("UserTokensRevoked"),
      errors: ["ENGINE_NOT_FOUND"],
    },
  ),
};
