import type { LookupAddress } from "node:dns";
import type { IncomingMessage } from "node:http";
import { type LookupFunction, isIP } from "node:net";
import { VERSION } from "../../../shared/version.ts";
import { ToolFailed } from "../tool.ts";

export interface Network {
  /** All addresses of a host name. */
  resolve(hostname: string): Promise<readonly LookupAddress[]>;
  isAllowed(address: string): boolean;
}

const ACCEPT = "text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.9, */*;q=0.1";

/**
 * Sends one request to a checked address. The host name is resolved once and the connection uses that result, so that
 * DNS rebinding cannot bypass the check.
 */
export async function guardedRequest(
  url: URL,
  {
    method,
    network,
    signal,
  }: { readonly method: "GET" | "HEAD"; readonly network: Network; readonly signal: AbortSignal },
): Promise<IncomingMessage> {
  const addresses = await checkedAddresses(url, network);
  const { request } = url.protocol === "https:" ? await import("node:https") : await import("node:http");
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method,
      signal,
      // Never reuses a connection.
      agent: false,
      lookup: always(addresses),
      headers: {
        "user-agent": `orchd/${VERSION}`,
        accept: ACCEPT,
        "accept-encoding": "gzip, deflate, br",
      },
    });
    sent.once("response", resolve);
    // `on`: a second error without a listener would crash the engine.
    sent.on("error", reject);
    sent.once("socket", (socket) => {
      socket.once("connect", () => {
        if (!network.isAllowed(socket.remoteAddress ?? "")) sent.destroy(notPublic(url));
      });
    });
    sent.end();
  });
}

async function checkedAddresses(url: URL, network: Network): Promise<readonly LookupAddress[]> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const family = isIP(host);
  const found = family === 0 ? await network.resolve(host) : [{ address: host, family }];
  // One private address among several refuses the host: the attacker chooses the order.
  if (found.length === 0 || !found.every(({ address }) => network.isAllowed(address))) throw notPublic(url);
  return found;
}

/** A `lookup` with a fixed result. */
function always(addresses: readonly LookupAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    const [first] = addresses;
    if (options.all || first === undefined) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}

/** Does not name the address, which would disclose names of a private network. */
const notPublic = (url: URL): ToolFailed => new ToolFailed(`${url.host} is refused: it is not on the public internet`);
