import type { ChangeEndpointRequest, CreateEndpointRequest, NotificationEndpoint } from "./records.ts";
import * as routes from "./orchestrator-routes.ts";
import type { CallOptions } from "./http-call.ts";
import type { OrchestratorCalls } from "./orchestrator-calls.ts";
import type { ListOf, OptionsOf } from "./route.ts";

/** The calls of the product's endpoints, which are told of events. Fields are those of the interface. */
export const notificationCalls = ({ call, list }: OrchestratorCalls) => ({
  /** The secret is returned only now. Not retried after a lost response. */
  create: (body: CreateEndpointRequest, given: CallOptions = {}) => call(routes.createEndpoint, { ...given, body }),
  list: async (given: CallOptions = {}): Promise<readonly NotificationEndpoint[]> =>
    (await call(routes.listEndpoints, given)).endpoints,
  get: (endpointId: string, given: CallOptions = {}) => call(routes.showEndpoint, { ...given, endpointId }),
  /** Fields that are left out stay; `enabled` pauses and resumes. */
  change: (endpointId: string, body: ChangeEndpointRequest, given: CallOptions = {}) =>
    call(routes.changeEndpoint, { ...given, endpointId, body }),
  delete: (endpointId: string, given: CallOptions = {}) => call(routes.deleteEndpoint, { ...given, endpointId }),
  /** `graceS`: how long messages are signed with both secrets. Not retried after a lost response. */
  rotateSecret: (endpointId: string, given: OptionsOf<typeof routes.rotateEndpointSecret, "endpointId"> = {}) =>
    call(routes.rotateEndpointSecret, { ...given, endpointId }),
  /** Sends a message that says nothing but that it is a test. */
  test: (endpointId: string, given: CallOptions = {}) => call(routes.testEndpoint, { ...given, endpointId }),
  /** Its deliveries, the newest first. */
  deliveries: (endpointId: string, given: ListOf<typeof routes.listDeliveries, "endpointId"> = {}) =>
    list(routes.listDeliveries, { ...given, endpointId }),
  /** Tries its dead deliveries again, or one. */
  replay: (endpointId: string, given: OptionsOf<typeof routes.replayDeliveries, "endpointId"> = {}) =>
    call(routes.replayDeliveries, { ...given, endpointId }),
});
