import { type AdminClient, createAdminClient } from "../src/client/admin-client.ts";
import { type HealthClient, createHealthClient } from "../src/client/health-client.ts";
import type { ClientLimits } from "../src/client/limits.ts";
import { OrchdError } from "../src/client/orchd-error.ts";
import { type OrchestratorClient, createOrchestratorClient } from "../src/client/orchestrator-client.ts";
import { openAdminSession } from "./admin-session.ts";
import { type CallContext, toCliFailure } from "./client-failure.ts";
import type { Credentials } from "./credentials.ts";
import { CliFailure } from "./exit-codes.ts";
import { findAdminKey, findPlatformKey, hasPlatformKey, knownAdminKey } from "./keys.ts";
import { nodeFetch } from "./node-fetch.ts";
import { withProgress } from "./progress.ts";
import type { Settings } from "./settings.ts";

/** No retries, so that a person sees an error at once. */
const LIMITS: Partial<ClientLimits> = {
  retries: 0,
  retryBusy: false,
  deadlineMs: 60_000,
  // The daemon can be configured to wait an hour for an engine.
  engineDeadlineMs: 65 * 60_000,
  // Four keep-alive comments.
  silenceMs: 60_000,
};
const HEALTH_DEADLINE_MS = 10_000;

/** Advice for errors that the daemon's address causes. */
const ADVICE: Readonly<Record<string, string>> = {
  UNREACHABLE: "is the daemon running? npm start, or systemctl status orchd; ORCH_URL or --url sets its address",
  BAD_ANSWER: "ORCH_URL or --url sets the daemon's address",
};

/** The user or product a call is for, as far as the command knows it. */
interface CallTarget extends Pick<CallContext, "user" | "product"> {
  /** The progress text of a long call; null for a stream, which shows its own output. */
  readonly doing?: string | null;
}

/** Who calls for a product without its key. */
interface Operator {
  readonly product: string;
  readonly adminKey: string;
}

/** Calls of the daemon with the key that each needs. Their errors become {@link CliFailure}s. */
export class DaemonClient {
  readonly #settings: Settings;
  readonly #credentials: Credentials;
  /** The value of `--product`. */
  readonly #wantedProduct: string | undefined;

  constructor(settings: Settings, credentials: Credentials, wantedProduct: string | undefined) {
    this.#settings = settings;
    this.#credentials = credentials;
    this.#wantedProduct = wantedProduct;
  }

  /** Calls that need no key. */
  async open<T>(call: (client: HealthClient) => Promise<T>): Promise<T> {
    const limits = { ...LIMITS, deadlineMs: HEALTH_DEADLINE_MS };
    return this.#run({ doing: null }, () =>
      call(createHealthClient({ url: this.#settings.url, fetch: nodeFetch, limits })),
    );
  }

  /** Calls with the admin key. */
  async admin<T>(call: (client: AdminClient) => Promise<T>, target: CallTarget = {}): Promise<T> {
    const adminKey = await (this.#foundAdminKey ??= findAdminKey(this.#settings));
    return this.#run(target, () => call(createAdminClient({ ...this.#connection(), adminKey })));
  }

  /** Calls with the platform key of the current product. Without one the admin key opens a session for the call. */
  async platform<T>(call: (client: OrchestratorClient) => Promise<T>, target: CallTarget = {}): Promise<T> {
    const operator = await (this.#foundOperator ??= this.#findOperator());
    if (operator !== null) {
      const { product, adminKey } = operator;
      return this.#run({ ...target, product }, async () => {
        await using session = await openAdminSession({ ...this.#connection(), adminKey });
        return await call(session.product(product));
      });
    }
    const { key: platformKey, slug: product, variable } = await this.#platformKey();
    return this.#run({ ...target, product, variable }, () =>
      call(createOrchestratorClient({ ...this.#connection(), platformKey })),
    );
  }

  /** The slug of the product of platform calls; undefined if only its key is known. */
  async product(): Promise<string | undefined> {
    const operator = await (this.#foundOperator ??= this.#findOperator());
    return operator === null ? (await this.#platformKey()).slug : operator.product;
  }

  /** The slug of the product for calls with the admin key: as given, otherwise the current one. */
  async namedProduct(): Promise<string> {
    const slug = this.#wantedProduct ?? this.#settings.product ?? (await this.#credentials.currentProduct());
    if (slug !== null) return slug;
    throw new CliFailure(
      "usage",
      "no product is the current one",
      null,
      "--product <slug>, or orchctl products use <slug>",
    );
  }

  /** The ID of the product given by `--product`, which needs the admin key; undefined if none is given. */
  async wantedProductId(): Promise<string | undefined> {
    const product = this.#wantedProduct;
    if (product === undefined) return undefined;
    return (await this.admin((client) => client.getProduct(product), { product })).id;
  }

  #foundOperator: Promise<Operator | null> | undefined;
  /** Null where a platform key is there, or the admin key is not. */
  async #findOperator(): Promise<Operator | null> {
    const [settings, credentials] = [this.#settings, this.#credentials];
    if (await hasPlatformKey(settings, credentials, this.#wantedProduct)) return null;
    const product = this.#wantedProduct ?? settings.product ?? (await credentials.currentProduct());
    if (product === null) return null;
    const adminKey = await knownAdminKey(settings, credentials);
    return adminKey === null ? null : { product, adminKey };
  }

  /** Cached, so that a person types it once. */
  #foundAdminKey: Promise<string> | undefined;
  #foundPlatformKey: ReturnType<typeof findPlatformKey> | undefined;
  #platformKey(): ReturnType<typeof findPlatformKey> {
    return (this.#foundPlatformKey ??= findPlatformKey(this.#settings, this.#credentials, this.#wantedProduct));
  }

  #connection() {
    return { url: this.#settings.url, fetch: nodeFetch, exactPaths: true, limits: LIMITS };
  }

  async #run<T>(
    { doing = `waiting for ${this.#settings.url}`, ...context }: CallTarget & Pick<CallContext, "variable">,
    call: () => Promise<T>,
  ): Promise<T> {
    try {
      return await (doing === null ? call() : withProgress(doing, call));
    } catch (error) {
      const failure = toCliFailure(error, { ...context, url: this.#settings.url });
      if (!(error instanceof OrchdError && failure instanceof CliFailure)) throw failure;
      throw new CliFailure(failure.exit, failure.message, failure.code, ADVICE[error.code] ?? failure.advice);
    }
  }
}
