import { request as requestHttp } from "node:http";
import type { Socket } from "node:net";
import { ENGINE_KEY_HEADER } from "../../contract/broker/secret-calls.ts";
import { EgressRefused } from "../../sandbox/proxy.ts";
import type { EngineBroker } from "./tool-secrets.ts";

/** The broker may have to ask the daemon, and connect. */
const CONNECT_MS = 35_000;
const FORBIDDEN = 403;

/** Opens a tunnel through the broker. Rejects with `EgressRefused` where it refuses the host. */
export function connectByBroker(
  { url, key }: EngineBroker,
  { host, port }: { readonly host: string; readonly port: number },
  headers: Readonly<Record<string, string>>,
): Promise<Socket> {
  const broker = new URL(url);
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    const sent = requestHttp({
      hostname: broker.hostname,
      port: broker.port,
      method: "CONNECT",
      path: authority,
      headers: { [ENGINE_KEY_HEADER]: key, ...headers },
      agent: false,
      timeout: CONNECT_MS,
    });
    sent.once("connect", (answer, socket, head) => {
      socket.setTimeout(0);
      const { statusCode: status = 502 } = answer;
      if (status === 200) {
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
        return;
      }
      socket.destroy();
      const text = `the broker ${status === FORBIDDEN ? "refuses" : "does not reach"} ${authority}: status ${status}`;
      reject(status === FORBIDDEN ? new EgressRefused(text) : Object.assign(new Error(text), { code: "ECONNREFUSED" }));
    });
    sent.once("timeout", () => sent.destroy(Object.assign(new Error("no answer in time"), { code: "ETIMEDOUT" })));
    sent.on("error", reject);
    sent.end();
  });
}
