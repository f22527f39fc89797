import type { BackupList, BackupRun } from "../contract/backup-records.ts";
import type { SessionLink, SessionRecord, SessionRole } from "../contract/console-records.ts";
import type { EventRecord } from "../contract/orchestrator-events.ts";
import {
  ADMIN_KEY_HEADER,
  type EngineRecord,
  type EngineState,
  type HostReport,
  type HostStatus,
  type Page,
  type Policy,
  type ProductRecord,
} from "../contract/orchestrator-records.ts";
import type { HostSamples, UsageSamples } from "../contract/sample-records.ts";
import { headerValue, pathSegment, queryOf } from "./address.ts";
import {
  type CallOptions,
  type ConnectionOptions,
  type RequestParams,
  type RetryOptions,
  callJson,
  serviceOf,
} from "./http-call.ts";
import { type BySession, sessionHeaders } from "./console-client.ts";
import { HOST_LIMITS } from "./limits.ts";
import { type FollowOptions, type OrchestratorEvent, followEvents, listEvents } from "./orchestrator-stream.ts";
import type { PricesRecord } from "../contract/usage-records.ts";
import { type AdminUsageOptions, type UsageEntry, readUsage } from "./usage-calls.ts";
import { readPages } from "./pages.ts";

export type AdminClientOptions = ConnectionOptions & ({ readonly adminKey: string } | BySession);

/** What to change in a policy. A field left out keeps its value; in `engine_env`, null removes a setting. */
export type PolicyChanges = {
  readonly [Field in keyof Policy]?: Policy[Field] | undefined;
} & { readonly engine_env?: Readonly<Record<string, string | null>> | undefined };

export interface RegisterOptions extends CallOptions {
  readonly slug: string;
  readonly name?: string | undefined;
  readonly policy?: PolicyChanges | undefined;
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
  api_key_hash: hash,
  key_prefix: prefix,
  key_last4: last4,
});

/** One line of the audit log. `entry` is JSON text; `hash` covers it and `prev_hash`. */
export interface AuditLine {
  readonly seq: number;
  readonly entry: string;
  readonly prev_hash: string;
  readonly hash: string;
}

export type AdminClient = ReturnType<typeof createAdminClient>;

/** The operator's calls of the orchestrator. Errors are {@link OrchdError}s. */
export function createAdminClient(options: AdminClientOptions) {
  const headers =
    "session" in options ? sessionHeaders() : { [ADMIN_KEY_HEADER]: headerValue("adminKey", options.adminKey) };
  const service = serviceOf(options, headers, HOST_LIMITS);
  const call = <T>(
    method: RequestParams["method"],
    path: string,
    more?: Partial<RequestParams>,
    retry?: RetryOptions,
  ) => callJson<T>(service, { method, path, ...more }, retry);
  const product = (idOrSlug: string, example: string): string =>
    `/products/${pathSegment("product", idOrSlug, example)}`;
  const eventFeed = (productId: string | undefined) => ({ path: "/admin/events", query: { product_id: productId } });

  return {
    url: service.url,

    /**
     * Registers a product. Its platform key is in this response only, so a lost response is not retried. It is null for
     * a key that the caller has made.
     */
    registerProduct: <Options extends RegisterOptions>({ signal, key, ...product }: Options) =>
      call<RegisteredProduct<Options>>(
        "POST",
        "/products/register",
        { body: { ...product, ...(key !== undefined && keyFields(key)) }, signal },
        { repeatable: false },
      ),

    listProducts: ({ pageSize = 200, signal }: CallOptions & { readonly pageSize?: number } = {}) =>
      readPages((cursor) =>
        call<Page<ProductRecord>>("GET", `/products${queryOf({ limit: pageSize, cursor })}`, { signal }),
      ),

    getProduct: async (idOrSlug: string, { signal }: CallOptions = {}) =>
      call<ProductRecord>("GET", product(idOrSlug, 'getProduct("demo")'), { signal }),

    setPolicy: async (idOrSlug: string, policy: PolicyChanges, { signal }: CallOptions = {}) =>
      call<ProductRecord>("PUT", `${product(idOrSlug, 'setPolicy("demo", {})')}/policy`, { body: policy, signal }),

    /** Replaces the platform key by one whose hash is given. */
    setPlatformKeyHash: async (idOrSlug: string, key: PlatformKeyHash, { signal }: CallOptions = {}) =>
      call<ProductRecord>(
        "PUT",
        `${product(idOrSlug, 'setPlatformKeyHash("demo", key)')}/platform-key-hash`,
        { body: { ...keyFields(key), grace_s: key.graceS }, signal },
        { repeatable: false },
      ),

    /** Deletes a product; `force` destroys its engines and their data first. */
    deleteProduct: async (
      idOrSlug: string,
      { force, signal }: CallOptions & { readonly force?: boolean | undefined } = {},
    ) =>
      call<{ readonly deleted: true }>(
        "DELETE",
        product(idOrSlug, 'deleteProduct("demo")') + queryOf({ force }),
        { signal, deadlineMs: service.limits.engineDeadlineMs },
        { repeatable: false },
      ),

    /** The engines of every product. */
    listEngines: ({
      state,
      pageSize = 200,
      signal,
    }: CallOptions & { readonly state?: EngineState | undefined; readonly pageSize?: number } = {}) =>
      readPages((cursor) =>
        call<Page<EngineRecord>>("GET", `/admin/engines${queryOf({ limit: pageSize, state, cursor })}`, { signal }),
      ),

    /** Restarts a running engine after its running turns; `drainS` is how long it waits for them. */
    restartEngine: async (
      id: string,
      { drainS, signal }: CallOptions & { readonly drainS?: number | undefined } = {},
    ) =>
      call<EngineRecord>(
        "POST",
        `/admin/engines/${pathSegment("engine", id, 'restartEngine("eng_…")')}/restart`,
        { body: { drain_s: drainS }, signal, deadlineMs: service.limits.engineDeadlineMs },
        { repeatable: false },
      ),

    /** Stored events of every product and of the host, the newest first. */
    listEvents: ({
      productId,
      ...options
    }: CallOptions & {
      readonly productId?: string | undefined;
      readonly pageSize?: number;
    } = {}): AsyncGenerator<EventRecord> => listEvents(service, eventFeed(productId), options),

    /** The same events as they happen; see the orchestrator client's `events`. */
    events: ({
      productId,
      ...options
    }: FollowOptions & { readonly productId?: string | undefined } = {}): AsyncGenerator<OrchestratorEvent> =>
      followEvents(service, eventFeed(productId), options),

    /** What the users of every product have spent, by product unless grouped otherwise. */
    usage: (given: AdminUsageOptions = {}): AsyncGenerator<UsageEntry> =>
      readUsage((path, options) => call("GET", path, options), "/admin/usage", given),

    /** Reads the price table again. */
    reloadPrices: ({ signal }: CallOptions = {}) =>
      call<PricesRecord>("POST", "/admin/prices/reload", { body: {}, signal }),

    /** What the engines of the host used in the last hour, together. */
    samples: ({ signal }: CallOptions = {}) => call<HostSamples>("GET", "/admin/samples", { signal }),

    /** What one engine used in the last hour. */
    engineSamples: async (id: string, { signal }: CallOptions = {}) =>
      call<UsageSamples>("GET", `/admin/engines/${pathSegment("engine", id, 'engineSamples("eng_…")')}/samples`, {
        signal,
      }),

    /** The open sessions of the console. */
    listSessions: ({ pageSize = 200, signal }: CallOptions & { readonly pageSize?: number } = {}) =>
      readPages((cursor) =>
        call<Page<SessionRecord>>("GET", `/admin/sessions${queryOf({ limit: pageSize, cursor })}`, { signal }),
      ),

    /** Ends a session of the console. */
    endSession: async (id: string, { signal }: CallOptions = {}) =>
      call<{ readonly ended: true }>(
        "DELETE",
        `/admin/sessions/${pathSegment("session", id, 'endSession("ses_…")')}`,
        { signal },
        { repeatable: false },
      ),

    /** A link that opens one session of the console within a minute. Needs the admin key. */
    createLink: ({ role, signal }: CallOptions & { readonly role?: SessionRole | undefined } = {}) =>
      call<SessionLink>("POST", "/console/links", { body: { role }, signal }, { repeatable: false }),

    status: ({ signal }: CallOptions = {}) => call<HostStatus>("GET", "/admin/status", { signal }),

    /** Checks of the daemon and its host. */
    doctor: ({ signal }: CallOptions = {}) => call<HostReport>("GET", "/admin/doctor", { signal }),

    /** Lines of the audit log after the line `after`, in their order, at most 200. */
    audit: ({
      after = 0,
      limit = 200,
      signal,
    }: CallOptions & { readonly after?: number; readonly limit?: number } = {}) =>
      call<Page<AuditLine>>("GET", `/admin/audit${queryOf({ after, limit })}`, { signal }),

    /** The backups of the host, and the one that runs. */
    listBackups: ({ signal }: CallOptions = {}) => call<BackupList>("GET", "/admin/backups", { signal }),

    /** Starts a backup; `listBackups` shows its progress. */
    createBackup: ({ signal }: CallOptions = {}) =>
      call<BackupRun>("POST", "/admin/backups", { body: {}, signal }, { repeatable: false }),

    /** The host takes no new engines, also after a restart of the daemon. */
    drain: ({ signal }: CallOptions = {}) => call<HostStatus>("POST", "/admin/drain", { body: {}, signal }),

    resume: ({ signal }: CallOptions = {}) => call<HostStatus>("POST", "/admin/resume", { body: {}, signal }),
  };
}
