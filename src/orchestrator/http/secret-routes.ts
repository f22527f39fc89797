import { productSecretRequest, rotateMasterRequest, userSecretRequest } from "../../contract/orchestrator/secret.ts";
import type { EngineHost, Service } from "../host-context.ts";
import { deleteSecret, setSecret } from "../operations/change-secret.ts";
import { rotateMaster } from "../operations/rotate-master.ts";
import { getEngineRow } from "../status/look-up-engine.ts";
import { lookUpProduct } from "../status/look-up-product.ts";
import { lookUpSecret, secretsOf } from "../status/look-up-secret.ts";
import type { Call, Handler } from "./call.ts";
import { userParameter } from "./engine-routes.ts";

/** The vault. */
export function secretRoutes(host: EngineHost & Service) {
  const name = (call: Call): string => call.params["secret_name"] ?? "";
  const ofUser = async (call: Call) => {
    const { product_id: productId, user_id: userId } = await getEngineRow(host, call.product, userParameter(call));
    return { productId, userId };
  };
  const ofProduct = async (call: Call) => {
    const { id: productId } = await lookUpProduct(host, call.params["product_id"] ?? "");
    return { productId, userId: "" };
  };
  return {
    listUserSecrets: async (call) => ({ status: 200, body: await secretsOf(host, await ofUser(call)) }),
    showUserSecret: async (call) => ({
      status: 200,
      body: await lookUpSecret(host, { ...(await ofUser(call)), name: name(call) }),
    }),
    setUserSecret: async (call) => {
      const key = { ...(await ofUser(call)), name: name(call) };
      return { status: 200, body: await setSecret(host, key, call.body(userSecretRequest)) };
    },
    deleteUserSecret: async (call) => {
      await deleteSecret(host, { ...(await ofUser(call)), name: name(call) });
      return { status: 200, body: { deleted: true } };
    },
    listProductSecrets: async (call) => ({ status: 200, body: await secretsOf(host, await ofProduct(call)) }),
    showProductSecret: async (call) => ({
      status: 200,
      body: await lookUpSecret(host, { ...(await ofProduct(call)), name: name(call) }),
    }),
    setProductSecret: async (call) => {
      const key = { ...(await ofProduct(call)), name: name(call) };
      return { status: 200, body: await setSecret(host, key, call.body(productSecretRequest)) };
    },
    deleteProductSecret: async (call) => {
      await deleteSecret(host, { ...(await ofProduct(call)), name: name(call) });
      return { status: 200, body: { deleted: true } };
    },
    rotateMaster: async (call) => ({
      status: 200,
      body: await rotateMaster(host, call.body(rotateMasterRequest).after),
    }),
  } satisfies Record<string, Handler>;
}
