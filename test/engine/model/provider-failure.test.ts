import t from "tap";
import { failureOf } from "../../../src/engine/model/provider-failure.ts";

const now = Date.parse("2026-11-21T06:00:00Z");
const read = (error: unknown) => failureOf(error, { provider: "someone", now });
const answered = (statusCode: number, body: unknown, responseHeaders: Record<string, string> = {}) =>
  read({ statusCode, responseBody: JSON.stringify(body), responseHeaders });

t.test("retry-after is read from headers and body", async (t) => {
  const wait = (headers: Record<string, string>, body: unknown = {}) => {
    const failure = answered(429, body, headers);
    return failure.kind === "rate_limited" ? failure.retryAfterS : failure;
  };
  t.equal(wait({ "retry-after": "7" }), 7);
  t.equal(wait({ "retry-after": "Sat, 21 Nov 2026 06:01:30 GMT" }), 90);
  t.equal(wait({ "retry-after": "Sat, 21 Nov 2026 05:00:00 GMT" }), 0);
  t.equal(wait({ "retry-after": "30", "retry-after-ms": "1500" }), 1.5);
  t.equal(wait({}, { error: { status: "RESOURCE_EXHAUSTED", details: [{ retryDelay: "32.5s" }] } }), 32.5);
  for (const nonsense of ["", "soon", "-5", "1e9"]) t.equal(wait({ "retry-after": nonsense }), null, nonsense);
});

t.test("a context overflow is recognised for every provider", async (t) => {
  const words = [
    "prompt is too long: 210000 tokens > 200000 maximum",
    "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "the request exceeds the available context size. try increasing the context size",
    "Input is too long for requested model.",
  ];
  for (const message of words) {
    t.equal(answered(400, { error: { message } }).kind, "too_long", message);
    t.equal(read({ type: "invalid_request_error", message }).kind, "too_long", `${message}, as an event`);
  }
  const tooLarge = ["Request too large", "Request exceeds the maximum allowed number of bytes.", "no"];
  for (const message of tooLarge)
    t.equal(answered(413, { error: { type: "request_too_large", message } }).kind, "too_long", message);
  t.equal(answered(401, { error: { message: "prompt is too long" } }).kind, "permanent", "the status goes first");
});

t.test("the context window is read from the error", async (t) => {
  const cases: readonly [string, number | undefined][] = [
    ["prompt is too long: 210000 tokens > 200000 maximum", 200_000],
    ["input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000", 200_000],
    ["This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.", 8192],
    ["The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", 1_048_576],
    ["the request exceeds the available context size (4096 tokens)", 4096],
    ["Your input exceeds the context window of this model. Please adjust your input and try again.", undefined],
    ["Input is too long for requested model.", undefined],
  ];
  for (const [message, window] of cases) {
    const failure = answered(400, { error: { message } });
    t.equal(failure.kind === "too_long" ? failure.window : failure.kind, window, message);
  }
});

t.test("an error without a status is classified by its type", async (t) => {
  t.match(read({ type: "rate_limit_error", message: "x" }), { kind: "rate_limited" });
  t.match(read({ code: 429, message: "x" }), { kind: "rate_limited" });
  t.match(read({ type: "overloaded_error" }), { kind: "transient" });
  t.match(read({ type: "authentication_error" }), { kind: "permanent" });
  t.match(read({ code: "insufficient_quota", message: "x" }), { kind: "permanent" });
  t.match(read({ type: "something_new" }), { kind: "transient", status: null });
  for (const strange of [null, undefined, "", 7, [], new Error("x"), { error: null }]) {
    t.match(read(strange), { kind: "transient", message: "someone ended its answer early" });
  }
});

t.test("an untrusted certificate is not retried, a refused connection is", async (t) => {
  const failing = (code: string) => new TypeError("fetch failed", { cause: Object.assign(new Error("x"), { code }) });
  for (const code of [
    "SELF_SIGNED_CERT_IN_CHAIN",
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "CERT_HAS_EXPIRED",
    "ERR_TLS_CERT_ALTNAME_INVALID",
  ]) {
    t.match(read(failing(code)), { kind: "permanent", message: new RegExp(code) });
  }
  for (const code of ["ECONNREFUSED", "ENOTFOUND", "ECONNRESET", "UND_ERR_SOCKET"]) {
    t.match(read(failing(code)), { kind: "transient", message: new RegExp(code) });
  }
});

t.test("messages quote only the provider's error type", async (t) => {
  const message = (type: string) => JSON.stringify(answered(400, { error: { type, message: type } }));
  t.match(message("invalid_request_error"), "(invalid_request_error)");
  for (const type of ["sk-ant-api03-abc", "my secret question", "x".repeat(200), "a_b", "token_abc123def"]) {
    t.notMatch(message(type), type);
  }
});
