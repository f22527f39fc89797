import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import { HOP_BY_HOP, connectionOptions } from "../../sandbox/proxy.ts";

/** Each server sets its own `host`, and has answered the client's `expect`. */
const OF_THIS_SERVER: ReadonlySet<string> = new Set(["expect", "host"]);

/** The headers that a proxy forwards: without the hop-by-hop headers and those that `Connection` names. */
export function endToEndHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = connectionOptions([headers.connection ?? ""]);
  const isForwarded = (name: string) => !HOP_BY_HOP.has(name) && !OF_THIS_SERVER.has(name) && !named.has(name);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isForwarded(name)));
}
