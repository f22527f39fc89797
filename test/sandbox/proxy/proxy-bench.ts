import { once } from "node:events";
import { type RequestListener, type Server, createServer } from "node:http";
import { type AddressInfo, type Socket, connect } from "node:net";
import type { Test } from "tap";
import type { EngineLaunch } from "../../../src/contract/engine/launch.ts";
import type { EgressLimits } from "../../../src/sandbox/proxy/egress-proxy.ts";
import { isPublicAddress } from "../../../src/sandbox/proxy/public-address.ts";
import type { ProgramNetwork } from "../../../src/sandbox/proxy/program-network.ts";
import { createLogger } from "../../../src/shared/logger.ts";
import { testNetwork } from "../../helpers/tool-network.ts";
import { until } from "../../helpers/until.ts";

/** Stands for the public internet; 127.0.0.1 is as private as ever. */
export const PUBLIC = "127.0.0.2";

export interface ProxyBench {
  readonly network: ProgramNetwork;
  readonly port: number;
  /** The `Proxy-Authorization` of the tools. */
  readonly authorization: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Names that were resolved. */
  readonly asked: readonly string[];
  readonly log: readonly string[];
}

export interface ProxyBenchOptions {
  readonly policy?: EngineLaunch["tool_network"];
  readonly listen?: readonly number[];
  readonly limits?: Partial<EgressLimits>;
  /** By name, one answer after the other; other names are public. An Error rejects. */
  readonly names?: Readonly<Record<string, readonly (readonly string[] | Error)[]>>;
}

/** The proxy of an engine's tools on a small internet. */
export async function proxyBench(t: Test, options: ProxyBenchOptions = {}): Promise<ProxyBench> {
  const { policy = "open", listen = [], limits = {}, names = {} } = options;
  const asked: string[] = [];
  const log: string[] = [];
  const network = testNetwork(t, {
    policy,
    listen,
    limits,
    logger: createLogger("test", "debug", { write: (line: string) => void log.push(line) }),
    isPublic: (address) => address === PUBLIC || isPublicAddress(address),
    async resolve(hostname) {
      const answers = names[hostname] ?? [[PUBLIC]];
      asked.push(hostname);
      const answer = answers[Math.min(asked.filter((name) => name === hostname).length, answers.length) - 1] ?? [];
      if (answer instanceof Error) throw answer;
      return answer.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    },
  });
  const { proxyPort, environment } = await network.access();
  const { username, password } = new URL(environment["HTTP_PROXY"] ?? "http://none");
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  return { network, port: proxyPort ?? 0, authorization, environment, asked, log };
}

export interface Served {
  readonly port: number;
  /** Method, `Host` and path of each request. */
  readonly seen: readonly string[];
  readonly server: Server;
}

/** A server on the small internet, or inside with another address. */
export async function serve(t: Test, listener: RequestListener, host = PUBLIC): Promise<Served> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.headers.host}${request.url}`);
    listener(request, response);
  }).listen(0, host);
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { seen, port: (server.address() as AddressInfo).port, server };
}

export interface RawConnection {
  readonly socket: Socket;
  /** What came so far. */
  received(): string;
  /** Waits until what came matches. */
  comes(pattern: RegExp): Promise<string>;
  closed(): Promise<string>;
}

/** A connection on which a test writes bytes of its own. */
export async function rawConnection(t: Test, port: number, text = ""): Promise<RawConnection> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  let received = "";
  let isClosed = false;
  socket.on("data", (chunk: Buffer) => (received += chunk.toString("latin1")));
  // The proxy cut the connection.
  socket.on("error", () => undefined);
  socket.on("end", () => (isClosed = true));
  socket.on("close", () => (isClosed = true));
  t.teardown(() => socket.destroy());
  await once(socket, "connect");
  if (text !== "") socket.write(text, "latin1");
  return {
    socket,
    received: () => received,
    comes: (pattern) => until(`${pattern} comes`, () => (pattern.test(received) ? received : undefined)),
    closed: () => until("the connection closes", () => (isClosed ? received || "nothing" : undefined)),
  };
}
