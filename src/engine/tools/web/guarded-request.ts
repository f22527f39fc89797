import type { LookupAddress } from "node:dns";
import type { IncomingMessage } from "node:http";
import { type LookupFunction, isIP } from "node:net";
import { VERSION } from "../../../shared/version.ts";
import { ToolFailed } from "../tool.ts";

export interface Network {
  /** All addresses of a name. */
  resolve(hostname: string): Promise<readonly LookupAddress[]>;
  isAllowed(address: string): boolean;
}

const ACCEPT = "text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.9, */*;q=0.1";

/**
 * One request, to an address that was judged. The name is resolved once, and the connection goes to what came of that:
 * a name server that answers differently the next time is not asked a next time.
 */
export async function guardedRequest(
  url: URL,
  {
    method,
    network,
    signal,
  }: { readonly method: "GET" | "HEAD"; readonly network: Network; readonly signal: AbortSignal },
): Promise<IncomingMessage> {
  const addresses = await judgedAddresses(url, network);
  const { request } = url.protocol === "https:" ? await import("node:https") : await import("node:http");
  return new Promise((resolve, reject) => {
    const asked = request(url, {
      method,
      signal,
      // Never a connection that somebody else opened.
      agent: false,
      lookup: always(addresses),
      headers: {
        "user-agent": `orchd/${VERSION}`,
        accept: ACCEPT,
        "accept-encoding": "gzip, deflate, br",
      },
    });
    asked.once("response", resolve);
    // More than one may come, and one without a listener would end the engine.
    asked.on("error", reject);
    asked.once("socket", (socket) => {
      socket.once("connect", () => {
        if (!network.isAllowed(socket.remoteAddress ?? "")) asked.destroy(notPublic(url));
      });
    });
    asked.end();
  });
}

async function judgedAddresses(url: URL, network: Network): Promise<readonly LookupAddress[]> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const family = isIP(host);
  const found = family === 0 ? await network.resolve(host) : [{ address: host, family }];
  // One that is not public among many is a trick: whoever names them decides which is taken.
  if (found.length === 0 || !found.every(({ address }) => network.isAllowed(address))) throw notPublic(url);
  return found;
}

/** A name server that knows one answer. */
function always(addresses: readonly LookupAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    const [first] = addresses;
    if (options.all || first === undefined) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}

/** Which address it is remains untold: names of a private network are nobody's business. */
const notPublic = (url: URL): ToolFailed =>
  new ToolFailed(`${url.host} is refused: it does not lead to the public internet`);
