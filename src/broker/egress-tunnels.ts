import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { openEngineKey } from "../contract/broker/engine-key.ts";
import { ENGINE_KEY_HEADER } from "../contract/broker/secret-calls.ts";
import { connectTo, joinSockets } from "../sandbox/proxy.ts";
import type { EgressAddresses } from "./egress-addresses.ts";
import { OpenCalls } from "./open-calls.ts";
import { Refusal } from "./outgoing.ts";
import { reasonOf, refuseConnect } from "./refuse-connect.ts";

const IDLE_MS = 600_000;

interface TunnelParts {
  readonly sealingKey: Uint8Array;
  readonly addresses: Pick<EgressAddresses, "of">;
}

/** Connects programs of engines to hosts that the policy permits, where engines themselves may connect to none. */
export class EgressTunnels {
  readonly #parts: TunnelParts;
  readonly #sockets = new Set<Socket>();
  /** As many as the proxy of an engine opens. */
  readonly #open = new OpenCalls();

  constructor(parts: TunnelParts) {
    this.#parts = parts;
  }

  /** Takes a `CONNECT` of an engine's proxy. */
  connect(request: IncomingMessage, client: Socket, head: Buffer): void {
    // Without a listener, a lost client would end this process.
    client.on("error", () => client.destroy());
    this.#accept(request, client, head).catch((error: unknown) => refuseConnect(client, ...reasonOf(error)));
  }

  /** Cuts the connections. */
  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async #accept({ url = "", headers }: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    const engineKey = headers[ENGINE_KEY_HEADER];
    const caller = typeof engineKey === "string" ? openEngineKey(this.#parts.sealingKey, engineKey) : null;
    if (caller === null) throw new Refusal(401, "expected the key of an engine of this deployment");
    const target = URL.parse(`tunnel://${url}`);
    const port = Number(target?.port);
    if (target === null || !Number.isInteger(port) || port === 0) throw new Refusal(400, "expected host:port");
    if (!this.#open.enter(caller.engine, client)) throw new Refusal(429, this.#open.problem);
    const host = target.hostname.replace(/^\[|\]$/g, "");
    const upstream = await connectTo(host, port, await this.#parts.addresses.of(caller, host, port));
    if (client.destroyed) {
      upstream.destroy();
      return;
    }
    for (const socket of [client, upstream]) this.#keep(socket);
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (head.length > 0) upstream.write(head);
    joinSockets(client, upstream);
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    socket.setTimeout(IDLE_MS, () => socket.destroy());
  }
}
