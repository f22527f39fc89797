import { isCallKey } from "../../contract/broker/call-key.ts";
import type { ModelHealth } from "../../contract/engine/health.ts";
import type { ProviderName } from "../../contract/settings/engine-settings.ts";
import type { Logger } from "../../shared/logger.ts";
import { type ReadAttachment, loadingProvider } from "./attachments/load-attachments.ts";
import { type Deadlines, aiSdkProvider } from "./ai-sdk-provider.ts";
import { EngineTelemetry } from "../telemetry/engine-telemetry.ts";
import { brokerFetch } from "./broker-fetch.ts";
import { monitoredProvider } from "./cache-monitor.ts";
import type { CallRecorder } from "./call-recorder.ts";
import { loggedProvider } from "./logged-provider.ts";
import { type CallMeter, NO_METER, meteredProvider } from "./metered-provider.ts";
import type { ModelFamily, ModelSettings } from "./model-family.ts";
import type { ModelProvider, ModelRequest } from "./model-provider.ts";
import { type CallReport, type ModelStatus, createModelStatus } from "./model-status.ts";
import { observeRetry, observedProvider } from "./observed-provider.ts";
import { plainRetryProvider } from "./plain-retry.ts";
import type { UpstreamSettings } from "./provider-failure.ts";
import { RateLimiter } from "./rate-limiter.ts";
import { retryingProvider } from "./retrying-provider.ts";
import { sandboxProvider } from "./sandbox-provider.ts";
import { trustCertificates } from "./trust-certificates.ts";
import type { RemoteProvider } from "./wire/wire-rules.ts";

interface ProviderSettings extends ModelSettings {
  readonly provider: ProviderName;
  readonly deadlines?: Deadlines;
  /** Whether to log calls that missed the provider's prompt cache. */
  readonly cacheHitMonitor?: boolean;
  /** The names of its settings, for messages. Default: those of `LLM_PROVIDER`. */
  readonly settings?: UpstreamSettings;
}

export interface EngineProvider extends ModelProvider {
  /** Loads the provider's package and certificates before the first call, which retries a failed load. */
  load(): Promise<unknown>;
  /** Outcome of the last call. */
  health(): ModelHealth;
}

export interface ProviderParts {
  readonly extraCaCerts: string | null;
  readonly readAttachment?: ReadAttachment;
  readonly logger: Logger;
  readonly telemetry?: EngineTelemetry;
  /** Meters every call. */
  readonly meter?: CallMeter;
  readonly recorder?: CallRecorder | null;
  /** Of the last call, whichever provider it asked. */
  readonly status?: ModelStatus;
}

/** The calls of one provider. Loads nothing until `load` or the first call. */
export function createProvider(
  settings: ProviderSettings,
  {
    extraCaCerts,
    readAttachment = noAttachments,
    logger,
    telemetry = new EngineTelemetry(),
    meter = NO_METER,
    recorder = null,
    status = createModelStatus(logger),
  }: ProviderParts,
): EngineProvider {
  const { provider } = settings;
  // Scripted failures of the sandbox are not retried, so that a client sees them.
  if (provider === "sandbox") {
    const health = () => ({ status: "ok", last_error: null, last_error_at: null, next_try_at: null }) as const;
    return {
      ...loggedProvider(
        observedProvider(meteredProvider(loadingProvider(sandboxProvider, readAttachment), meter), telemetry, recorder),
        logger,
      ),
      load: () => Promise.resolve(),
      health,
    };
  }
  const load = once(async () => {
    const isBrokered = isCallKey(settings.apiKey);
    if (extraCaCerts !== null && !isBrokered) await trustCertificates(extraCaCerts);
    const direct: typeof fetch = settings.fetch ?? ((input, init) => globalThis.fetch(input, init));
    const send = isBrokered ? brokerFetch(direct, () => meter.hasBudgets()) : direct;
    const recorded = { ...settings, fetch: recorder === null ? send : recorder.capturing(send) };
    const family = (await importFamily(provider)).openFamily(recorded);
    return settings.baseUrl === undefined ? family : withTraceHeaders(family);
  });
  const limiter = new RateLimiter();
  const deadlines = settings.deadlines && { deadlines: settings.deadlines };
  const adapter = aiSdkProvider({ name: provider, load, ...deadlines, settings: settings.settings });
  const remote = meteredProvider(loadingProvider(adapter, readAttachment), meter);
  const { report: reportStatus, health } = status;
  const report = (call: CallReport) => {
    reportStatus(call);
    observeRetry(provider, call, telemetry);
  };
  const retrying = plainRetryProvider(retryingProvider(remote, { limiter, report }), logger);
  const monitored = settings.cacheHitMonitor ? monitoredProvider(retrying, logger) : retrying;
  return {
    ...loggedProvider(observedProvider(monitored, telemetry, recorder), logger),
    load,
    health,
  };
}

const noAttachments: ReadAttachment = () => Promise.reject(new Error("attachments are not available"));

interface FamilyModule {
  openFamily(settings: ModelSettings): ModelFamily;
}

/** Each family is a separate bundle, so that an engine loads only those that it calls. Its own is in its program. */
export function importFamily(provider: RemoteProvider): Promise<FamilyModule> {
  switch (provider) {
    case "anthropic":
      return import("./anthropic-model.ts");
    case "openai":
      return import("./openai-model.ts");
    case "google":
      return import("./google-model.ts");
    case "bedrock":
      return import("./bedrock-model.ts");
    case "openai-compatible":
      return import("./openai-compatible-model.ts");
    default:
      return provider satisfies never;
  }
}

/**
 * A family whose requests carry `traceparent` and `tracestate`, for a model server of the operator, which may join the
 * trace. Public providers do not get them.
 */
const withTraceHeaders = (family: ModelFamily): ModelFamily => ({
  ...family,
  adapt: (options, request) => family.adapt({ ...options, ...traceHeaders(request) }, request),
});

function traceHeaders({ scope }: ModelRequest) {
  const { traceparent, tracestate } = scope?.span ?? {};
  return traceparent === undefined ? {} : { headers: { traceparent, ...(tracestate !== undefined && { tracestate }) } };
}

/** Memoizes an async function; a rejection is not kept. */
function once<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= run().catch((error: unknown) => {
      running = undefined;
      throw error;
    });
    return running;
  };
}
