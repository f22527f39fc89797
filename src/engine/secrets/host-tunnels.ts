import { request as requestHttp } from "node:http";
import type { Socket } from "node:net";
import { ENGINE_KEY_HEADER, SECRET_NAMES_HEADER } from "../../contract/broker/secret-calls.ts";
import { EgressRefused, isListedHost } from "../../sandbox/proxy.ts";
import type { EngineBroker, ToolSecrets } from "./tool-secrets.ts";

const TLS_PORT = 443;
/** The broker may have to ask the daemon. */
const CONNECT_MS = 20_000;

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
    return names.length === 0 ? null : this.#connect(`${host.includes(":") ? `[${host}]` : host}:${port}`, names);
  };

  #connect(authority: string, names: readonly string[]): Promise<Socket> {
    const { hostname, port } = new URL(this.#broker.url);
    return new Promise((resolve, reject) => {
      const sent = requestHttp({
        hostname,
        port,
        method: "CONNECT",
        path: authority,
        headers: { [ENGINE_KEY_HEADER]: this.#broker.key, [SECRET_NAMES_HEADER]: names.join(",") },
        agent: false,
        timeout: CONNECT_MS,
      });
      sent.once("connect", (answer, socket, head) => {
        socket.setTimeout(0);
        if (answer.statusCode !== 200) {
          socket.destroy();
          reject(new EgressRefused(`the broker of secrets refuses ${authority}: status ${answer.statusCode}`));
          return;
        }
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      });
      sent.once("timeout", () => sent.destroy(Object.assign(new Error("no answer in time"), { code: "ETIMEDOUT" })));
      sent.on("error", reject);
      sent.end();
    });
  }
}
