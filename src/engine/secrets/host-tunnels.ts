import type { Socket } from "node:net";
import { SECRET_NAMES_HEADER } from "../../contract/broker/secret-calls.ts";
import { isListedHost } from "../../sandbox/proxy.ts";
import { connectByBroker } from "./broker-connect.ts";
import type { EngineBroker, ToolSecrets } from "./tool-secrets.ts";

const TLS_PORT = 443;

/** Leads tunnels to hosts of secrets through the broker, which ends their TLS. It decides again where each may go. */
export class HostTunnels {
  readonly #broker: EngineBroker;
  readonly #secrets: Pick<ToolSecrets, "knownHosts">;

  constructor(broker: EngineBroker, secrets: Pick<ToolSecrets, "knownHosts">) {
    this.#broker = broker;
    this.#secrets = secrets;
  }

  /** Null for a host of no secret that a tool has a placeholder of. */
  tunnel = (host: string, port: number): Promise<Socket> | null => {
    const names = [...this.#secrets.knownHosts]
      .filter(([, hosts]) => isListedHost(hosts, { host, port, defaultPort: TLS_PORT }))
      .map(([name]) => name);
    if (names.length === 0) return null;
    return connectByBroker(this.#broker, { host, port }, { [SECRET_NAMES_HEADER]: names.join(",") });
  };
}
