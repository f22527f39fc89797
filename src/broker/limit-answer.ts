import type { CalledProvider } from "../contract/broker/call-key.ts";

interface LimitAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const TOO_MANY = 429;

const ofOpenAi = (status: number, message: string): LimitAnswer => {
  const code = status === TOO_MANY ? "rate_limit_exceeded" : "server_overloaded";
  return { headers: {}, body: { error: { message, type: code, param: null, code } } };
};

/** How each provider answers when it limits a key or is overloaded, as its package reads it. */
const SHAPES: Readonly<Record<CalledProvider, (status: number, message: string) => LimitAnswer>> = {
  anthropic: (status, message) => ({
    headers: {},
    body: { type: "error", error: { type: status === TOO_MANY ? "rate_limit_error" : "overloaded_error", message } },
  }),
  openai: ofOpenAi,
  "openai-compatible": ofOpenAi,
  google: (code, message) => ({
    headers: {},
    body: { error: { code, message, status: code === TOO_MANY ? "RESOURCE_EXHAUSTED" : "UNAVAILABLE" } },
  }),
  bedrock: (status, message) => ({
    headers: { "x-amzn-errortype": status === TOO_MANY ? "ThrottlingException" : "ServiceUnavailableException" },
    body: { message },
  }),
};

/** The broker's answer in a provider's stead. Both headers, because one of them has no parts of a second. */
export function limitAnswer(
  provider: CalledProvider,
  {
    status,
    retryAfterMs,
    message,
  }: { readonly status: number; readonly retryAfterMs: number; readonly message?: string },
): { readonly headers: Readonly<Record<string, string>>; readonly body: string } {
  const seconds = Math.ceil(retryAfterMs / 1000);
  const { headers, body } = SHAPES[provider](
    status,
    message ?? `the provider is not called with this key for another ${seconds} s`,
  );
  const retryAfter = { "retry-after": String(seconds), "retry-after-ms": String(Math.ceil(retryAfterMs)) };
  return { headers: { ...headers, ...retryAfter, "content-type": "application/json" }, body: JSON.stringify(body) };
}
