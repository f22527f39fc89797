import type { IncomingMessage } from "node:http";
import { type ResumedCall, continues } from "./held-stream.ts";
import { type Exchange, callUpstream } from "./upstream-call.ts";

const CONNECT_MS = 2000;
/** The timeout of the response's head. */
const ANSWER_MS = 5000;

/**
 * Calls a running engine for the rest of a held stream. Null when the stream is to end, for example because the engine's
 * key was rotated. `asleep`: the engine did not answer.
 */
export async function callForRest(
  url: string,
  {
    exchange,
    resumed,
    keyHeader,
    without,
    signal,
  }: {
    readonly exchange: Exchange;
    readonly resumed: ResumedCall;
    readonly keyHeader: Readonly<Record<string, string>>;
    readonly without: readonly string[];
    readonly signal: AbortSignal;
  },
): Promise<IncomingMessage | null | "asleep"> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ANSWER_MS);
  const outcome = await callUpstream(exchange, {
    url,
    path: resumed.path,
    headers: { ...keyHeader, ...resumed.headers, host: new URL(url).host, via: "1.1 orchd" },
    without,
    connectMs: CONNECT_MS,
    signal: AbortSignal.any([signal, late.signal]),
    sendBody: (upstream) => upstream.end(),
  });
  clearTimeout(timer);
  if (outcome.kind !== "answered") return "asleep";
  if (continues(outcome.answer)) return outcome.answer;
  outcome.answer.destroy();
  return null;
}
