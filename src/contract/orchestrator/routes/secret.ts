import { productSecretRequest, rotateMasterRequest, userSecretRequest } from "../secret.ts";
import { ok } from "../../route-table.ts";
import { LARGE_BODY_BYTES, type Route, admin, platform } from "./route-row.ts";

const OF_USER = "/engines/{user_id}/secrets";
const OF_PRODUCT = "/products/{product_id}/secrets";
const userErrors = ["ENGINE_NOT_FOUND", "SECRET_NOT_FOUND"] as const;
const productErrors = ["PRODUCT_NOT_FOUND", "SECRET_NOT_FOUND"] as const;

/** The vault: values that tools use and never hold. */
export const SECRET_ROUTES = {
  listUserSecrets: platform(`GET ${OF_USER}`, "List the [secrets](secrets.md#vault) of a user, without their values", {
    role: "viewer",
    clientMethod: "listSecrets",
    responses: ok("Secrets"),
    errors: ["ENGINE_NOT_FOUND"],
  }),
  showUserSecret: platform(`GET ${OF_USER}/{secret_name}`, "Get a secret of a user, without its value", {
    role: "viewer",
    clientMethod: "getSecret",
    responses: ok("SecretRecord"),
    errors: userErrors,
  }),
  setUserSecret: platform(`PUT ${OF_USER}/{secret_name}`, "Set a secret of a user", {
    role: "operator",
    request: userSecretRequest,
    maxBodyBytes: LARGE_BODY_BYTES,
    responses: ok("SecretRecord"),
    errors: ["ENGINE_NOT_FOUND", "QUOTA_EXCEEDED"],
  }),
  deleteUserSecret: platform(`DELETE ${OF_USER}/{secret_name}`, "Delete a secret of a user", {
    role: "operator",
    clientMethod: "deleteSecret",
    responses: ok("SecretDeleted"),
    errors: userErrors,
  }),
  listProductSecrets: admin(
    `GET ${OF_PRODUCT}`,
    "List the [secrets](secrets.md#vault) of a product, without their values",
    { role: "viewer", clientMethod: "listProductSecrets", responses: ok("Secrets"), errors: ["PRODUCT_NOT_FOUND"] },
  ),
  showProductSecret: admin(`GET ${OF_PRODUCT}/{secret_name}`, "Get a secret of a product, without its value", {
    role: "viewer",
    clientMethod: "getProductSecret",
    responses: ok("SecretRecord"),
    errors: productErrors,
  }),
  setProductSecret: admin(`PUT ${OF_PRODUCT}/{secret_name}`, "Set a secret of a product", {
    role: "admin",
    request: productSecretRequest,
    maxBodyBytes: LARGE_BODY_BYTES,
    responses: ok("SecretRecord"),
    errors: ["PRODUCT_NOT_FOUND", "QUOTA_EXCEEDED"],
  }),
  deleteProductSecret: admin(`DELETE ${OF_PRODUCT}/{secret_name}`, "Delete a secret of a product", {
    role: "admin",
    clientMethod: "deleteProductSecret",
    responses: ok("SecretDeleted"),
    errors: productErrors,
  }),
  rotateMaster: admin(
    "POST /admin/secrets/rotate-master",
    "Encrypt what is stored with the [current secret key](secrets.md#rotate-the-secret-key), for some seconds",
    {
      role: "admin",
      clientMethod: "rotateMaster",
      request: rotateMasterRequest,
      timeout: "boot",
      responses: ok("MasterRotation"),
    },
  ),
} satisfies Record<string, Route>;
