/** The fields of a provider package's error, whatever its shape. */
export interface ProviderError {
  readonly status: number | null;
  /** The provider's error type, such as `overloaded_error`. */
  readonly type: string;
  /** May quote the key or the conversation: search it, never show it. */
  readonly text: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly network: NetworkCause;
  /** Host of the request; null if unknown. */
  readonly host: string | null;
  /** The class of the error, such as `AI_APICallError`. */
  readonly name: string;
}

/** A failure below HTTP, without anything that could quote the request. */
interface NetworkCause {
  /** Error code such as `ECONNREFUSED`, or empty. */
  readonly code: string;
  /** Such as `connect ECONNREFUSED 127.0.0.1:9`; null if unknown. */
  readonly systemCall: string | null;
  /** The HTTP client's message such as `bad port`; null if it could quote the request. */
  readonly reason: string | null;
}

const MAX_DEPTH = 6;
const CODE = /^[A-Z][A-Z0-9_]+$/;
const ADDRESS = /^[\w.:[\]%-]{1,255}$/;
/** Messages that wrap a failure of `fetch` as their cause; others may be about the request itself. */
const FETCH_FAILED = /^(?:Cannot connect to API|fetch failed|terminated)/;
/** Short words only: none could be a key. */
const SAFE_MESSAGE = /^[A-Za-z][\w'/.-]{0,19}(?:[ ,:;()]+[\w'/.-]{1,19}){0,14}[.)]?$/;

type Fields = Readonly<Record<string, unknown>>;

/** Reads errors by shape: each provider bundle has its own classes. */
export function readProviderError(error: unknown): ProviderError {
  const top = record(error);
  const body = parsed(top["responseBody"]) ?? record(top["data"]);
  const inner = record(body["error"] ?? record(body["response"])["error"] ?? body);
  const sources = [inner, record(top["error"]), top];
  const status = sources.flatMap(({ statusCode, status, code }) => [statusCode, status, code]).find(isStatus);
  const type = sources
    .flatMap(({ code, type, status }) => [code, type, status])
    .find((value) => typeof value === "string" && value !== "error");
  return {
    status: isStatus(top["statusCode"]) ? top["statusCode"] : (status ?? null),
    type: typeof type === "string" ? type : "",
    text: [top["message"], top["responseBody"], inner["message"], type]
      .filter((part) => typeof part === "string")
      .join("\n"),
    headers: record(top["responseHeaders"]) as Record<string, string | undefined>,
    network: networkCauseOf(error),
    host: hostOf(top),
    name: typeof top["name"] === "string" ? top["name"] : "",
  };
}

/** Behind a broker the failure names the provider's host, and the request's address is the broker's. */
function hostOf({ url, cause }: Fields): string | null {
  const { host } = record(cause);
  if (typeof host === "string") return host;
  return typeof url === "string" ? (URL.parse(url)?.host ?? null) : null;
}

const isStatus = (value: unknown): value is number => typeof value === "number" && value >= 400 && value < 600;

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

function parsed(text: unknown): Readonly<Record<string, unknown>> | null {
  if (typeof text !== "string") return null;
  try {
    const value: unknown = JSON.parse(text);
    return record(Array.isArray(value) ? value[0] : value);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Reads the innermost cause: `fetch` wraps the socket's error, or an AggregateError of several. */
function networkCauseOf(error: unknown): NetworkCause {
  const chain: Fields[] = [];
  for (let at = record(error), depth = 0; depth < MAX_DEPTH; depth++) {
    chain.unshift(at);
    const inner = at["cause"] ?? [at["errors"]].flat()[0];
    if (inner === undefined || inner === null) break;
    at = record(inner);
  }
  const [innermost = {}] = chain;
  const code = chain.map((one) => one["code"]).find((one) => typeof one === "string" && CODE.test(one));
  const isBelowHttp = chain.length > 1 && chain.some(({ message }) => FETCH_FAILED.test(String(message)));
  const message = innermost["message"];
  return {
    code: typeof code === "string" ? code : "",
    systemCall: chain.map(systemCallOf).find((one) => one !== null) ?? null,
    reason: isBelowHttp && typeof message === "string" && SAFE_MESSAGE.test(message) ? message : null,
  };
}

function systemCallOf({ syscall, code, address, hostname, port }: Fields): string | null {
  const target = address ?? hostname;
  if (typeof syscall !== "string" || typeof code !== "string" || !CODE.test(code)) return null;
  if (typeof target !== "string" || !ADDRESS.test(target)) return null;
  const host = typeof port === "number" && target.includes(":") ? `[${target}]` : target;
  return `${syscall} ${code} ${host}${typeof port === "number" ? `:${port}` : ""}`;
}
