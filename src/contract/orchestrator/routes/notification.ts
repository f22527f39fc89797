import {
  DELIVERY_STATES,
  endpointPatch,
  endpointRequest,
  endpointSecretRequest,
  replayRequest,
} from "../notification.ts";
import { PAGE, json, ok } from "../../route-table.ts";
import { LARGE_BODY_BYTES, type Route, platform } from "./route-row.ts";

const ENDPOINTS = "/notifications/endpoints";
const ONE = `${ENDPOINTS}/{endpoint_id}` as const;
const errors = ["ENDPOINT_NOT_FOUND"] as const;

/** What the daemon tells a product of, by messages to its endpoints. */
export const NOTIFICATION_ROUTES = {
  createEndpoint: platform(`POST ${ENDPOINTS}`, "Create an [endpoint](notifications.md) that is told of events", {
    role: "admin",
    request: endpointRequest,
    maxBodyBytes: LARGE_BODY_BYTES,
    repeatable: false,
    responses: { 201: [json("NotificationEndpointWithSecret")] },
    errors: ["QUOTA_EXCEEDED"],
  }),
  listEndpoints: platform(`GET ${ENDPOINTS}`, "List the endpoints of the product", {
    role: "viewer",
    responses: ok("NotificationEndpoints"),
  }),
  showEndpoint: platform(`GET ${ONE}`, "Get an endpoint, without its secret", {
    role: "viewer",
    responses: ok("NotificationEndpoint"),
    errors,
  }),
  changeEndpoint: platform(`PATCH ${ONE}`, "Change, pause or resume an endpoint", {
    role: "admin",
    request: endpointPatch,
    maxBodyBytes: LARGE_BODY_BYTES,
    responses: ok("NotificationEndpoint"),
    errors,
  }),
  deleteEndpoint: platform(`DELETE ${ONE}`, "Delete an endpoint and its deliveries", {
    role: "admin",
    responses: ok("NotificationEndpointDeleted"),
    errors,
  }),
  rotateEndpointSecret: platform(`POST ${ONE}/rotate-secret`, "Replace an endpoint's secret", {
    role: "admin",
    request: endpointSecretRequest,
    repeatable: false,
    responses: ok("NotificationEndpointWithSecret"),
    errors,
  }),
  testEndpoint: platform(`POST ${ONE}/test`, "Send a message to an endpoint that says nothing but that it is a test", {
    role: "admin",
    responses: { 202: [json("NotificationDelivery")] },
    errors,
  }),
  listDeliveries: platform(`GET ${ONE}/deliveries`, "List the deliveries of an endpoint, newest first", {
    role: "viewer",
    query: {
      ...PAGE,
      state: { kind: "choice", values: DELIVERY_STATES, fallback: null, summary: "Deliveries in this state" },
    },
    responses: ok("NotificationDeliveryPage"),
    errors,
  }),
  replayDeliveries: platform(`POST ${ONE}/replay`, "Try dead deliveries again, or one that was delivered", {
    role: "admin",
    request: replayRequest,
    responses: ok("NotificationsReplayed"),
    errors,
  }),
} satisfies Record<string, Route>;
