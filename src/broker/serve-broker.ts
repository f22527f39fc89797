import { type IncomingMessage, type Server, createServer } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { BrokerOrder } from "../contract/broker/broker-order.ts";
import { EGRESS_TUNNEL_HEADER } from "../contract/broker/egress-calls.ts";
import type { Forgotten } from "../contract/broker/forget.ts";
import { controlTokenOf, questionTokenOf } from "../contract/broker/tokens.ts";
import { listening } from "../shared/http/listen-address.ts";
import { IdentityAnswers } from "./answer-identity.ts";
import { DaemonRoad } from "./ask-daemon.ts";
import { CallBudgets } from "./call-budget.ts";
import { CallCounts } from "./call-counts.ts";
import { EgressAddresses } from "./egress-addresses.ts";
import { EgressTunnels } from "./egress-tunnels.ts";
import { EngineStandings } from "./engine-standing.ts";
import { FairQuestions } from "./fair-questions.ts";
import { CallForwarder } from "./forward-call.ts";
import { InterceptTunnels } from "./intercept-tunnels.ts";
import { BrokerControl } from "./control.ts";
import { OnceCalls } from "./once-calls.ts";
import { OpenCalls } from "./open-calls.ts";
import { OutgoingCalls } from "./outgoing-calls.ts";
import { sendOnce } from "./send-once.ts";
import { trustCertificates } from "./trust-certificates.ts";

const MAX_CONNECTIONS = 16_384;
/** A key of an engine is a header of up to 16 KiB. */
const MAX_HEADER_BYTES = 48 * 1024;
const HEADERS_TIMEOUT_MS = 10_000;
/** Until the whole request has arrived. */
const REQUEST_TIMEOUT_MS = 300_000;
/** Calls of a broker that was replaced get this time. */
const DRAIN_MS = 600_000;
const SWEEP_MS = 50;
/** One line of the log in this time. */
const LOG_MS = 1000;

/** Serves model calls until it is drained. Rejects when it cannot listen. */
export async function serveBroker(order: BrokerOrder): Promise<Server> {
  const counts = new CallCounts();
  const sealingKey = Buffer.from(order.sealing_key, "base64");
  const road = new DaemonRoad({ token: questionTokenOf(sealingKey), url: order.daemon_url });
  const shared = { sealingKey, prepareTls: loadingCertificates(order.extra_ca_certs), log: throttledLog() };
  const questions = new FairQuestions(road);
  const budgets = new CallBudgets(questions);
  const open = new OpenCalls();
  const standings = new EngineStandings(questions);
  const addresses = new EgressAddresses(standings);
  const forwarder = new CallForwarder({ ...shared, counts, standings, budgets, open });
  const outgoing = new OutgoingCalls({ ...shared, road: questions, counts, open, addresses });
  const identity = new IdentityAnswers(sealingKey, questions);
  const serve = (connection: Duplex) => {
    server.emit("connection", connection);
  };
  const tunnels = new InterceptTunnels({ sealingKey, values: outgoing.values, serve });
  const egress = new EgressTunnels({ sealingKey, addresses });
  // Afterwards nothing keeps the process alive.
  const drain = () => {
    control.close();
    tunnels.drain();
    // Connections that become idle later are not closed by `close`.
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
    setTimeout(() => {
      server.closeAllConnections();
      tunnels.close();
      egress.close();
    }, DRAIN_MS).unref();
    server.close(() => {
      clearInterval(sweep);
      forwarder.close();
      const close = () => road.close();
      budgets.settled().then(close, close);
    });
  };
  const forget = (what: Forgotten) => {
    standings.forget(what);
    outgoing.forget(what);
  };
  const once = new OnceCalls({ send: (call) => sendOnce(call, shared.prepareTls) });
  const token = controlTokenOf(sealingKey);
  const control = new BrokerControl({ build: order.build, token, counts, road, once, drain, forget });
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      noDelay: true,
    },
    (request, response) => {
      if (control.answer(request, response) || identity.answer(request, response)) return;
      if (outgoing.answer(request, response)) return;
      forwarder.forward(request, response);
    },
  );
  server.on("connect", (request: IncomingMessage, client: Socket, head: Buffer) =>
    (request.headers[EGRESS_TUNNEL_HEADER] === undefined ? tunnels : egress).connect(request, client, head),
  );
  server.maxConnections = MAX_CONNECTIONS;
  process.once("SIGTERM", drain);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(listening(order.listen), () => {
      server.off("error", reject);
      // A connection could not be accepted (too many open files). Without a listener the process would exit.
      server.on("error", () => undefined);
      resolve();
    });
  });
  return server;
}

/** Loads the certificates once. A failure is not kept. */
function loadingCertificates(file: string | null): () => Promise<void> {
  let loading: Promise<void> | undefined;
  return () => {
    if (file === null) return Promise.resolve();
    loading ??= trustCertificates(file).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

/** Lines of JSON on standard output, at most one a second: a provider that is away fails every call. */
function throttledLog(): (fields: Readonly<Record<string, unknown>>, message: string) => void {
  let last = -Infinity;
  let dropped = 0;
  return (fields, msg) => {
    const now = performance.now();
    if (now - last < LOG_MS) {
      dropped++;
      return;
    }
    const line = {
      level: 40,
      time: new Date().toISOString(),
      name: "broker",
      pid: process.pid,
      ...fields,
      dropped,
      msg,
    };
    process.stdout.write(`${JSON.stringify(line)}\n`);
    last = now;
    dropped = 0;
  };
}
