import type { LookupAddress } from "node:dns";
import type { Socket } from "node:net";
import { EGRESS_CALL_PATH, EGRESS_TARGET_HEADER, EGRESS_TUNNEL_HEADER } from "../../contract/broker/egress-calls.ts";
import { ENGINE_KEY_HEADER, encodeUrl } from "../../contract/broker/secret-calls.ts";
import type { OutsideTarget } from "../../sandbox/proxy.ts";
import { connectByBroker } from "./broker-connect.ts";
import type { EngineBroker } from "./tool-secrets.ts";

interface BrokerRoute {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

const LOOPBACK = /^(?:127\.|\[?::1\]?$|localhost$)/;
const isOwn = ({ address }: LookupAddress): boolean => LOOPBACK.test(address);

/** Leads what goes outside through the broker, where the network closes every other way. It decides again. */
export class BrokerEgress {
  readonly #broker: EngineBroker;

  constructor(broker: EngineBroker) {
    this.#broker = broker;
  }

  /** Null for loopback, which is this engine's own. */
  connect = ({ host, port, addresses }: OutsideTarget): Promise<Socket> | null =>
    addresses.every(isOwn) ? null : connectByBroker(this.#broker, { host, port }, { [EGRESS_TUNNEL_HEADER]: "1" });

  /** The same for a request of the engine itself. `addresses`: those of the target, where they were looked up. */
  route = (
    target: URL,
    addresses: readonly LookupAddress[] = [{ address: target.hostname, family: 0 }],
  ): BrokerRoute | null => {
    if (addresses.every(isOwn)) return null;
    const { url, key } = this.#broker;
    return {
      url: new URL(EGRESS_CALL_PATH, url),
      headers: { [ENGINE_KEY_HEADER]: key, [EGRESS_TARGET_HEADER]: encodeUrl(target.href) },
    };
  };
}
