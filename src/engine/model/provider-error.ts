import { type NetworkCause, networkCauseOf } from "./network-cause.ts";

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
    host: typeof top["url"] === "string" ? (URL.parse(top["url"])?.host ?? null) : null,
    name: typeof top["name"] === "string" ? top["name"] : "",
  };
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
