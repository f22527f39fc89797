import { once } from "node:events";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { OnceAnswer, OnceCall } from "../contract/broker/once-call.ts";
import { fixedLookup } from "../sandbox/proxy.ts";
import { outsideAddresses } from "../shared/outside-addresses.ts";
import { readWhole } from "./read-whole.ts";

/** Longer than a daemon waits: an answer that is late is there when it asks again. */
const TIMEOUT_MS = 20_000;
const MAX_ANSWER_BYTES = 256 * 1024;

/** Sends a form, whoever waits for the answer. Never rejects. */
export async function sendOnce(call: OnceCall, prepareTls: () => Promise<void>): Promise<OnceAnswer> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const { url, addresses } = await outsideAddresses(call.url, call.private_hosts);
    if (url.protocol === "https:") await prepareTls();
    const send = url.protocol === "https:" ? requestHttps : requestHttp;
    const headers = { "user-agent": "orchd", ...call.headers, "content-length": Buffer.byteLength(call.body) };
    const sent = send(url, { method: "POST", headers, agent: false, signal, lookup: fixedLookup(addresses) });
    const answered = once(sent, "response") as Promise<[IncomingMessage]>;
    // A second error without a listener would end the process.
    sent.on("error", () => undefined);
    sent.end(call.body);
    const [answer] = await answered;
    const body = await readWhole(answer, MAX_ANSWER_BYTES);
    answer.destroy();
    if (body === null) return { kind: "failed", reason: `an answer of more than ${MAX_ANSWER_BYTES} bytes` };
    const { statusCode: status = 502, headers: received } = answer;
    return { kind: "answered", status, headers: received, body: body.toString("base64") };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { kind: "failed", reason: signal.aborted ? "ETIMEDOUT" : (code ?? message) };
  }
}
