import type { LookupAddress } from "node:dns";
import { Agent as PlainAgent, type ClientRequest, type IncomingMessage, request as plainRequest } from "node:http";
import { Agent as TlsAgent, request as tlsRequest } from "node:https";
import { EgressRefused, fixedLookup } from "../../sandbox/proxy.ts";
import { errorCode } from "../../shared/error-code.ts";
import { withDeadline } from "./outside-deadline.ts";
import { type Resolving, outsideAddresses } from "../../shared/outside-addresses.ts";

export interface OutsideCall extends Resolving {
  readonly url: string;
  readonly method: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** The policy's `private_hosts` of the product that named the address. */
  readonly privateHosts: readonly string[];
  /** For everything from the look-up of the name to the end of the answer, in milliseconds. */
  readonly timeoutMs: number;
  /** What is read of the answer's body. */
  readonly maxAnswerBytes: number;
  readonly signal?: AbortSignal;
}

export type OutsideAnswer =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly headers: IncomingMessage["headers"];
      readonly body: Buffer;
      /** False when the answer was longer than what is read. */
      readonly isWhole: boolean;
    }
  /** Nothing was sent: the address may not be called. `reason` is for whoever named it. */
  | { readonly kind: "refused"; readonly reason: string }
  /** No answer. `reason` is an error code of the system or of TLS, or `ETIMEDOUT`. */
  | { readonly kind: "failed"; readonly reason: string };

/** Those who call limit how many of their calls are in flight; these are for all of them together. */
const POOL = {
  keepAlive: true,
  keepAliveMsecs: 15_000,
  maxSockets: 256,
  maxTotalSockets: 4096,
  maxFreeSockets: 4,
  timeout: 30_000,
};
const AGENTS = { "http:": boundTo(new PlainAgent(POOL)), "https:": boundTo(new TlsAgent(POOL)) } as const;
const LONGEST_HEADERS = 16 * 1024;

/**
 * Calls an address that a product named. The name is resolved once, and only addresses that the product may call are
 * connected to. No redirect is followed. TLS is verified for the name.
 */
export async function callOutside(call: OutsideCall): Promise<OutsideAnswer> {
  return withDeadline(call, async (signal) => {
    const { url, addresses } = await outsideAddresses(call.url, call.privateHosts, call);
    signal.throwIfAborted();
    return await exchange(url, call, { addresses, signal });
  }).catch((error: unknown): OutsideAnswer => {
    if (error instanceof EgressRefused) return { kind: "refused", reason: error.message };
    return { kind: "failed", reason: errorCode(error) || "UNKNOWN" };
  });
}

async function exchange(
  url: URL,
  { method, headers = {}, body, maxAnswerBytes }: OutsideCall,
  { addresses, signal }: { readonly addresses: readonly LookupAddress[]; readonly signal: AbortSignal },
): Promise<OutsideAnswer> {
  const options = {
    method,
    headers: { "user-agent": "orchd", ...headers, ...(body !== undefined && { "content-length": body.length }) },
    lookup: fixedLookup(addresses),
    addresses: addresses.map(({ address }) => address).toSorted(),
    maxHeaderSize: LONGEST_HEADERS,
    signal,
  };
  const sent: ClientRequest =
    url.protocol === "https:"
      ? tlsRequest(url, { ...options, agent: AGENTS["https:"] })
      : plainRequest(url, { ...options, agent: AGENTS["http:"] });
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once("response", resolve);
    // `on`: a second error without a listener would crash the daemon.
    sent.on("error", reject);
    sent.end(body);
  });
  const { statusCode: status = 0, headers: received } = answer;
  return { kind: "answered", status, headers: received, ...(await readBody(answer, maxAnswerBytes)) };
}

/**
 * A connection is used again only for the addresses among which it was opened: another product may not call those, although
 * the name is the same.
 */
function boundTo<A extends PlainAgent>(agent: A): A {
  const nameOf = agent.getName.bind(agent);
  agent.getName = (options?: Parameters<A["getName"]>[0] & { readonly addresses?: readonly string[] }) =>
    `${nameOf(options)}:${options?.addresses?.join() ?? ""}`;
  return agent;
}

/** Reads at most `maxBytes`. A connection with more is closed, for it could send without end. */
async function readBody(
  answer: IncomingMessage,
  maxBytes: number,
): Promise<{ readonly body: Buffer; readonly isWhole: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) break;
  }
  if (bytes > maxBytes) answer.destroy();
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), isWhole: bytes <= maxBytes };
}
