import type { EventRecord, ProductRecord } from "./records.ts";
import { adminMethods } from "./admin-methods.ts";
import * as routes from "./orchestrator-routes.ts";
import { ADMIN_KEY_HEADER } from "../contract/orchestrator/headers.ts";
import { headerValue } from "./address.ts";
import { type CallOptions, type ConnectionOptions, serviceOf } from "./http-call.ts";
import { type BySession, sessionHeaders } from "./console-client.ts";
import { HOST_LIMITS } from "./limits.ts";
import { type FollowOptions, type OrchestratorEvent, followEvents, listEvents } from "./orchestrator-stream.ts";
import { type OptionsOf, callsOf, requestOf } from "./route.ts";
import { type AdminUsageOptions, type UsageEntry, readUsage } from "./usage-calls.ts";
import type { SetEnginePolicyRequest, SetPlanRequest, SetPolicyRequest, SetProductSecretRequest } from "./records.ts";

export type AdminClientOptions = ConnectionOptions & ({ readonly adminKey: string } | BySession);

/** What to change in a policy. A field left out keeps its value; in `engine_env`, null removes a setting. */
export type PolicyChanges = SetPolicyRequest;

export interface RegisterOptions extends Pick<
  OptionsOf<typeof routes.registerProduct>,
  "slug" | "name" | "policy" | "signal"
> {
  /** The hash of a key that the caller has made. Without it the daemon creates the key. */
  readonly key?: Omit<PlatformKeyHash, "graceS"> | undefined;
}

export interface PlatformKeyHash {
  /** SHA-256 of the key, 64 lower-case hex digits. */
  readonly hash: string;
  readonly prefix?: string | undefined;
  readonly last4?: string | undefined;
  /** How long the previous key stays valid. */
  readonly graceS?: number | undefined;
}

export type RegisteredProduct<Options extends RegisterOptions> = ProductRecord & {
  readonly platform_api_key: Options extends { readonly key: object } ? null : string;
};

const keyFields = ({ hash, prefix, last4 }: PlatformKeyHash) => ({
  apiKeyHash: hash,
  keyPrefix: prefix,
  keyLast4: last4,
});

export type AdminClient = ReturnType<typeof createAdminClient>;

/** The operator's calls of the orchestrator. Errors are {@link OrchdError}s. */
export function createAdminClient(options: AdminClientOptions) {
  const headers =
    "session" in options ? sessionHeaders() : { [ADMIN_KEY_HEADER]: headerValue("adminKey", options.adminKey) };
  const service = serviceOf(options, headers, HOST_LIMITS);
  const calls = callsOf(service);
  const { call } = calls;
  const eventFeed = (productId: string | undefined) => (page: routes.AdminEventsParams) =>
    requestOf(routes.adminEvents, { productId, ...page });

  return {
    url: service.url,
    ...adminMethods(calls),

    /**
     * Registers a product. Its platform key is in this response only, so a lost response is not retried. It is null for
     * a key that the caller has made.
     */
    registerProduct: async <Options extends RegisterOptions>({ key, ...product }: Options) =>
      (await call(routes.registerProduct, {
        ...product,
        ...(key !== undefined && keyFields(key)),
      })) as RegisteredProduct<Options>,
    setPolicy: (productId: string, body: PolicyChanges, given: CallOptions = {}) =>
      call(routes.setPolicy, { ...given, productId, body }),
    /** Creates a plan, or replaces what it sets. What is left out is decided by the product's policy. */
    setPlan: (productId: string, plan: string, policy: SetPlanRequest["policy"], given: CallOptions = {}) =>
      call(routes.setPlan, { ...given, productId, plan, body: { policy } }),
    /** Replaces what is set for one engine alone, before its plan. */
    setEnginePolicy: (
      productId: string,
      userId: string,
      policy: SetEnginePolicyRequest["policy"],
      given: CallOptions = {},
    ) => call(routes.setEnginePolicy, { ...given, productId, userId, body: { policy } }),
    /** Sets a secret of the product, whose value no call returns. */
    setProductSecret: (productId: string, secretName: string, body: SetProductSecretRequest, given: CallOptions = {}) =>
      call(routes.setProductSecret, { ...given, productId, secretName, body }),
    /** Replaces the platform key by one whose hash is given. */
    setPlatformKeyHash: async (productId: string, key: PlatformKeyHash, given: CallOptions = {}) =>
      call(routes.setPlatformKeyHash, { ...given, productId, ...keyFields(key), graceS: key.graceS }),

    /** Stored events of every product and of the host, the newest first. */
    listEvents: ({
      productId,
      ...given
    }: CallOptions & {
      readonly productId?: string | undefined;
      readonly pageSize?: number;
    } = {}): AsyncGenerator<EventRecord> => listEvents(service, eventFeed(productId), given),
    /** The same events as they happen; see the orchestrator client's `events`. */
    events: ({
      productId,
      ...given
    }: FollowOptions & { readonly productId?: string | undefined } = {}): AsyncGenerator<OrchestratorEvent> =>
      followEvents(service, eventFeed(productId), given),

    /** What the users of every product have spent, by product unless grouped otherwise. */
    usage: (given: AdminUsageOptions = {}): AsyncGenerator<UsageEntry> =>
      readUsage((query) => call(routes.adminUsage, query), given),

    /** Lines of the audit log after the line `after`, in their order, at most 200. */
    audit: ({ after = 0, limit = 200, ...given }: Omit<OptionsOf<typeof routes.adminAudit>, "cursor"> = {}) =>
      call(routes.adminAudit, { ...given, after, limit }),
  };
}
