import {
  DELIVERY_STATES,
  endpointPatch,
  endpointRequest,
  endpointSecretRequest,
  replayRequest,
} from "../../contract/orchestrator/notification.ts";
import { choiceParameter } from "../../shared/http/parameters.ts";
import type { EngineHost, Service } from "../host-context.ts";
import { changeEndpoint, createEndpoint, deleteEndpoint, rotateEndpointSecret } from "../operations/change-endpoint.ts";
import { replayNotifications, testEndpoint } from "../operations/replay-notifications.ts";
import { deliveriesOf, endpointsOf, lookUpEndpoint } from "../status/look-up-endpoint.ts";
import { type Call, type Handler, pageOf, pageParameters } from "./call.ts";

const endpointId = (call: Call): string => call.params["endpoint_id"] ?? "";

/** What a product is told of, and where. */
export function notificationRoutes(host: EngineHost & Service) {
  return {
    createEndpoint: async (call) => {
      const body = await createEndpoint(host, call.product, call.body(endpointRequest));
      return { status: 201, body, secret: true };
    },
    listEndpoints: async (call) => ({ status: 200, body: { endpoints: await endpointsOf(host, call.product) } }),
    showEndpoint: async (call) => ({ status: 200, body: await lookUpEndpoint(host, call.product, endpointId(call)) }),
    changeEndpoint: async (call) => {
      const options = { id: endpointId(call), patch: call.body(endpointPatch) };
      return { status: 200, body: await changeEndpoint(host, call.product, options) };
    },
    deleteEndpoint: async (call) => {
      await deleteEndpoint(host, call.product, endpointId(call));
      return { status: 200, body: { deleted: true } };
    },
    rotateEndpointSecret: async (call) => {
      const { grace_s: graceS = 0 } = call.body(endpointSecretRequest);
      const body = await rotateEndpointSecret(host, call.product, { id: endpointId(call), graceS });
      return { status: 200, body, secret: true };
    },
    testEndpoint: async (call) => ({ status: 202, body: await testEndpoint(host, call.product, endpointId(call)) }),
    listDeliveries: (call) => {
      const { limit, after: before } = pageParameters(call, "ntf");
      const page = { id: endpointId(call), state: choiceParameter(call, "state", DELIVERY_STATES), before, limit };
      return call.list(async () => pageOf(await deliveriesOf(host, call.product, page), limit));
    },
    replayDeliveries: async (call) => {
      const { delivery_id: deliveryId = null } = call.body(replayRequest);
      const replayed = await replayNotifications(host, call.product, { id: endpointId(call), deliveryId });
      return { status: 200, body: { replayed } };
    },
  } satisfies Record<string, Handler>;
}
