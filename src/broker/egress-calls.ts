import { EGRESS_TARGET_HEADER } from "../contract/broker/egress-calls.ts";
import { decodeUrl } from "../contract/broker/secret-calls.ts";
import { HOP_BY_HOP } from "./call-headers.ts";
import type { EgressAddresses } from "./egress-addresses.ts";
import { type EngineCall, type Outgoing, Refusal } from "./outgoing.ts";

const PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };
const NOT_SENT: ReadonlySet<string> = new Set([...HOP_BY_HOP, "host", "expect", "content-length"]);

/** Requests of engines without secrets, to hosts that the policy permits. */
export class EgressCalls {
  readonly #addresses: Pick<EgressAddresses, "of">;

  constructor(addresses: Pick<EgressAddresses, "of">) {
    this.#addresses = addresses;
  }

  /** Rejects with `Refusal` or `EgressRefused`. */
  async prepare({ caller, request: { headers, rawHeaders } }: EngineCall): Promise<Outgoing> {
    const header = headers[EGRESS_TARGET_HEADER];
    const url = typeof header === "string" ? URL.parse(decodeUrl(header)) : null;
    const port = url === null ? undefined : PORTS[url.protocol];
    if (url === null || port === undefined) throw new Refusal(400, `${EGRESS_TARGET_HEADER}: expected a URL`);
    const host = url.hostname.replace(/^\[|\]$/g, "");
    return {
      url,
      headers: [...headersToSend(rawHeaders), "host", url.host],
      addresses: await this.#addresses.of(caller, host, url.port === "" ? port : Number(url.port)),
      body: { kind: "unread" },
      hidden: () => [],
    };
  }
}

function headersToSend(rawHeaders: readonly string[]): string[] {
  const sent: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    const key = name.toLowerCase();
    if (!key.startsWith("x-orchd-") && !NOT_SENT.has(key)) sent.push(name, value);
  }
  return sent;
}
