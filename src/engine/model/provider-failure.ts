import { NO_CREDIT, retryAfterSeconds } from "../../contract/broker/provider-limits.ts";
import type { ModelFailure } from "./model-provider.ts";
import { type ProviderError, readProviderError } from "./provider-error.ts";

/** The names of the settings that a message may advise to check. */
export interface UpstreamSettings {
  readonly key: string;
  readonly baseUrl: string;
  readonly model: string;
}
const MAIN_SETTINGS: UpstreamSettings = { key: "LLM_API_KEY", baseUrl: "LLM_BASE_URL", model: "LLM_MODEL" };

const TOO_LONG = [
  /context.{0,20}(?:length|window|size|limit)/i,
  /(?:prompt|input|request).{0,20}too (?:long|large)/i,
  /maximum (?:context|model|number of tokens)/i,
  /too many (?:input )?tokens/i,
];
/** A request with this status is too long, whatever its text says. */
const CONTENT_TOO_LARGE = 413;
const MAY_BE_TOO_LONG: readonly (number | null)[] = [null, 400, 422, 500];
/** Statuses of a refused request, unless the key or the model is the reason. */
const CONTENT_REFUSED: readonly number[] = [400, 422];
const NOT_FOR_CONTENT =
  /insufficient_quota|billing|credit balance|api.?key|credential|model.{0,40}(?:not exist|not found)/i;
const RATE_LIMITED = /rate.?limit|too.?many.?requests|resource_?exhausted/i;
const OVERLOADED = /overloaded|unavailable|server_error|api_error|timeout|internal/i;
const REFUSED = /authentication|permission|invalid_request|not_found|invalid_api_key/i;
const UNTRUSTED = /CERT|SELF_SIGNED|ERR_TLS|UNABLE_TO_VERIFY/;
const CONTENT_NOT_SENT = /^AI_(?:InvalidPrompt|UnsupportedFunctionality|InvalidArgument)/;
/** The provider package did not send the request: by error class or message of `fetch`. */
const NOT_SENT: readonly (readonly [RegExp, (settings: UpstreamSettings) => string])[] = [
  [/^AI_Load(?:APIKey|Setting)|^TypeError: .*(?:header value|ByteString)/s, ({ key }) => `see ${key}`],
  [/^TypeError: .*URL/s, ({ baseUrl }) => `see ${baseUrl}`],
  [/^AI_NoSuchModel/, ({ model }) => `see ${model}`],
  [CONTENT_NOT_SENT, () => "the provider's package does not support its content"],
];
/** The provider package could not parse the response. */
const UNREADABLE = /^AI_(?:InvalidResponseData|JSONParse|TypeValidation|EmptyResponseBody|NoContentGenerated|APICall)/;
/** Bedrock answers 424 when the model behind it failed. */
const RETRYABLE: readonly number[] = [408, 409, 424, 425];

/**
 * Classifies a provider's error. The messages are ours: the provider's text may quote the key or the conversation and
 * must not reach an event or the log.
 */
export function failureOf(
  error: unknown,
  {
    provider,
    model,
    now,
    settings = MAIN_SETTINGS,
  }: {
    readonly provider: string;
    readonly model?: string;
    readonly now: number;
    readonly settings?: UpstreamSettings | undefined;
  },
): ModelFailure {
  const read = readProviderError(error);
  const status = read.status ?? impliedStatus(read.type);
  const retryAfterS = retryAfterSeconds({ headers: read.headers, body: read.text, now });
  const saysTooLong = MAY_BE_TOO_LONG.includes(read.status) && TOO_LONG.some((pattern) => pattern.test(read.text));
  if (saysTooLong || read.status === CONTENT_TOO_LARGE) {
    const message = `the conversation does not fit the context of ${provider}'s model`;
    return { kind: "too_long", message, ...windowIn(read.text) };
  }
  if (status === 429 && NO_CREDIT.test(read.text)) {
    return { kind: "permanent", message: `${provider} reports that its quota or credit is used up`, status };
  }
  if (status === 429) return { kind: "rate_limited", message: `${provider} limits the rate of requests`, retryAfterS };
  if (status === null)
    return withoutStatus(read, {
      provider,
      who: model === undefined ? provider : `${provider}, ${model}`,
      settings,
    });
  if (status >= 500 || RETRYABLE.includes(status)) {
    return { kind: "transient", message: `${provider} answered ${status}${named(read)}`, status, retryAfterS };
  }
  const refused = CONTENT_REFUSED.includes(status) && !NOT_FOR_CONTENT.test(read.text);
  const message = `${provider} answered ${status}${named(read)}${advice(status, settings)}`;
  return { kind: "permanent", message, status, ...(refused && { refused }) };
}

/** "300000 tokens > 200000 maximum", "maximum context length is 8192 tokens", "exceeds the context window of 32768". */
function windowIn(text: string): { readonly window?: number } {
  const match =
    />\s*(\d{4,9})\b/.exec(text) ??
    /(?:maximum|max|limit|context (?:length|size|window))\D{0,40}?(\d{4,9})/i.exec(text);
  return match?.[1] === undefined ? {} : { window: Number(match[1]) };
}

/** An error inside a stream has a type and no status. */
function impliedStatus(type: string): number | null {
  if (RATE_LIMITED.test(type) || NO_CREDIT.test(type)) return 429;
  if (OVERLOADED.test(type)) return 503;
  return REFUSED.test(type) ? 400 : null;
}

/** `who`: the provider, and the model if known. */
function withoutStatus(
  read: ProviderError,
  { provider, who, settings }: { readonly provider: string; readonly who: string; readonly settings: UpstreamSettings },
): ModelFailure {
  const { name, text, network, host } = read;
  const permanent = (message: string) => ({ kind: "permanent", message, status: null }) as const;
  const transient = (message: string): ModelFailure => ({
    kind: "transient",
    message,
    status: null,
    retryAfterS: null,
  });
  if (name === "CertificatesUnreadable")
    return permanent(
      `the extra CA certificates cannot be used: see NODE_EXTRA_CA_CERTS${network.code === "" ? "" : ` (${network.code})`}`,
    );
  if (UNTRUSTED.test(network.code))
    return permanent(`the certificate of ${host ?? provider} is not trusted: ${network.code} (${who})`);
  const [, hint] = NOT_SENT.find(([pattern]) => pattern.test(`${name}: ${text}`)) ?? [];
  if (hint !== undefined)
    return {
      ...permanent(`the request cannot be sent: ${hint(settings)} (${who})`),
      refused: CONTENT_NOT_SENT.test(name),
    };
  if (network.reason === "bad port") {
    const port = host?.match(/:(\d+)$/)?.[1];
    return permanent(
      `${port === undefined ? "the port" : `port ${port}`} is blocked by fetch; use another port (${who})`,
    );
  }
  if (network.systemCall !== null) return transient(`${network.systemCall} (${who})`);
  const cause = network.code || network.reason;
  if (cause !== null) return transient(`the connection to ${host ?? provider} failed: ${cause} (${who})`);
  if (text.startsWith("Cannot connect")) return transient(`the connection to ${host ?? provider} failed (${who})`);
  if (UNREADABLE.test(name))
    return transient(
      `the answer ended early or could not be read; if it happens at every call, check ${settings.baseUrl} (${who})`,
    );
  return transient(`${provider} ended its answer early`);
}

/** The provider's error type, if it looks like one and not like a key or a quote. */
const named = ({ type }: ProviderError): string =>
  /^[a-z]{2,20}(?:_[a-z]{2,20}){1,4}$/.test(type) ? ` (${type})` : "";

function advice(status: number, { key, baseUrl, model }: UpstreamSettings): string {
  if (status === 401 || status === 403) return `: see ${key}`;
  return status === 404 ? `: see ${model} and ${baseUrl}` : "";
}
