import type { LookupAddress } from "node:dns";
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { SECRET_REFUSED_HEADER } from "../../../contract/broker/secret-calls.ts";
import { EgressRefused, type EgressRules, fixedLookup } from "../../../sandbox/proxy.ts";
import { ToolFailed } from "../tool.ts";

/** What the network of tools permits, and how it is reached. */
export interface Network extends Pick<EgressRules, "addressesOf"> {
  /** Where a request goes instead of its own address. Null, or without it: to that address. `addresses`: of the target. */
  readonly route?: ((target: URL, addresses?: readonly LookupAddress[]) => OutsideRoute | null) | undefined;
}

export interface OutsideRoute {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

export interface GuardedRequest {
  readonly method: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string | undefined;
  readonly network: Network;
  readonly signal: AbortSignal;
}

const PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

/**
 * Sends one request that a tool asked for, to an address that `network` permits. Throws `ToolFailed` for a host that is
 * refused.
 */
export async function guardedRequest(
  url: URL,
  { method, headers, body, network, signal }: GuardedRequest,
): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = url.port === "" ? (PORTS[url.protocol] ?? 0) : Number(url.port);
  const addresses = await network.addressesOf(host, port).catch((error: unknown) => {
    throw error instanceof EgressRefused ? new ToolFailed(error.message) : error;
  });
  const route = network.route?.(url, addresses) ?? null;
  if (route !== null) {
    const sent = { method, headers: { ...headers, ...route.headers }, body, signal };
    return unlessRefused(await brokeredRequest(route.url, sent));
  }
  const { request } = url.protocol === "https:" ? await import("node:https") : await import("node:http");
  return new Promise((resolve, reject) => {
    // Never reuses a connection: each goes to an address that was checked for it.
    const sent = request(url, { method, headers, signal, agent: false, lookup: fixedLookup(addresses) });
    sent.once("response", resolve);
    // `on`: a second error without a listener would crash the engine.
    sent.on("error", reject);
    sent.end(body);
  });
}

/** The answer of the host. Throws `ToolFailed` where it is one of the broker. */
async function unlessRefused(answer: IncomingMessage): Promise<IncomingMessage> {
  if (answer.headers[SECRET_REFUSED_HEADER] === undefined) return answer;
  // A start-up snapshot cannot have it.
  const { text } = await import("node:stream/consumers");
  throw new ToolFailed((await text(answer)).trim());
}

/** Sends one request to the broker, which asks the network of tools itself. */
export async function brokeredRequest(
  url: URL,
  { method, headers, body, signal }: Omit<GuardedRequest, "network">,
): Promise<IncomingMessage> {
  const { request } = url.protocol === "https:" ? await import("node:https") : await import("node:http");
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, signal, agent: false });
    sent.once("response", resolve);
    sent.on("error", reject);
    sent.end(body);
  });
}
