import { platformKeyHashRequest, policyPatch, registerRequest } from "../requests.ts";
import { toolHookSecretRequest } from "../tool-hook-schemas.ts";
import { PAGE, json, ok } from "../../route-table.ts";
import { IDEMPOTENCY, LARGE_BODY_BYTES, type Route, admin } from "./route-row.ts";

/** Products and their policies, for operators. */
export const PRODUCT_ROUTES = {
  registerProduct: admin("POST /products/register", "Register a product", {
    role: "admin",
    headers: IDEMPOTENCY,
    request: registerRequest,
    maxBodyBytes: LARGE_BODY_BYTES,
    repeatable: false,
    responses: { 201: [json("ProductWithKey")] },
    errors: ["PRODUCT_ALREADY_EXISTS"],
  }),
  listProducts: admin("GET /products", "List products", {
    role: "viewer",
    clientMethod: "listProducts",
    query: PAGE,
    responses: ok("ProductPage"),
  }),
  showProduct: admin("GET /products/{product_id}", "Get a product", {
    role: "viewer",
    clientMethod: "getProduct",
    responses: ok("ProductRecord"),
    errors: ["PRODUCT_NOT_FOUND"],
  }),
  deleteProduct: admin("DELETE /products/{product_id}", "Delete a product", {
    role: "admin",
    clientMethod: "deleteProduct",
    query: { force: { kind: "flag", summary: "Destroy its engines first" } },
    repeatable: false,
    timeout: "boot",
    responses: ok("ProductDeleted"),
    errors: ["PRODUCT_NOT_FOUND", "PRODUCT_ALREADY_EXISTS", "OPERATION_IN_PROGRESS", "BACKEND_ERROR"],
  }),
  setPolicy: admin("PUT /products/{product_id}/policy", "Change the policy, at once", {
    role: "admin",
    request: policyPatch,
    maxBodyBytes: LARGE_BODY_BYTES,
    responses: ok("ProductRecord"),
    errors: ["PRODUCT_NOT_FOUND"],
  }),
  rotateToolHookSecret: admin(
    "POST /products/{product_id}/tool-hook/rotate-secret",
    "Replace the secret that signs calls of the product's [hook on tools](catalog.md#hook-of-the-product)",
    {
      role: "admin",
      clientMethod: "rotateToolHookSecret",
      request: toolHookSecretRequest,
      repeatable: false,
      responses: ok("ToolHookSecret"),
      errors: ["PRODUCT_NOT_FOUND"],
    },
  ),
  setPlatformKeyHash: admin(
    "PUT /products/{product_id}/platform-key-hash",
    "Replace the platform key by the hash of a new one",
    {
      role: "admin",
      request: platformKeyHashRequest,
      repeatable: false,
      responses: ok("ProductRecord"),
      errors: ["PRODUCT_NOT_FOUND"],
    },
  ),
} satisfies Record<string, Route>;
