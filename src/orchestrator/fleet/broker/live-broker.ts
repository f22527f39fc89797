import { type ClientRequest, request } from "node:http";
import {
  type BrokerReport,
  CONTROL_HEADER,
  DAEMON_HEADER,
  DRAIN_PATH,
  LIVE_PATH,
} from "../../../contract/broker/broker-order.ts";
import { FORGET_PATH, type Forgotten } from "../../../contract/broker/forget.ts";

/** A broker that proved to be ours: it knows the control token. */
export interface LiveBroker {
  /** The last one. */
  readonly report: BrokerReport;
  /** Resolves when the connection ends, as it does with the process. */
  readonly ended: Promise<void>;
  disconnect(): void;
}

interface Target {
  readonly host: string;
  readonly port: number;
  readonly token: string;
  /** Where the broker asks this daemon. */
  readonly daemonUrl: string;
}

/** Connects to the broker that listens there, for as long as it lives. Null when none answers as ours in this time. */
export function connectBroker(
  { host, port, token, daemonUrl }: Target,
  deadlineMs: number,
): Promise<LiveBroker | null> {
  const ended = Promise.withResolvers<void>();
  return new Promise((resolve) => {
    const call: ClientRequest = request({
      host,
      port,
      path: LIVE_PATH,
      headers: { [CONTROL_HEADER]: token, [DAEMON_HEADER]: daemonUrl },
      agent: false,
    });
    const late = setTimeout(() => call.destroy(new Error("no answer")), deadlineMs);
    const over = () => {
      clearTimeout(late);
      ended.resolve();
      resolve(null);
    };
    call.on("error", over);
    call.once("response", (response) => {
      if (response.statusCode !== 200) {
        call.destroy();
        return over();
      }
      let report: BrokerReport | null = null;
      let rest = "";
      response.setEncoding("utf8").on("data", (text: string) => {
        const lines = (rest + text).split("\n");
        rest = lines.pop() ?? "";
        const last = lines.at(-1);
        if (last === undefined) return;
        report = JSON.parse(last) as BrokerReport;
        clearTimeout(late);
        resolve({
          get report() {
            return report as BrokerReport;
          },
          ended: ended.promise,
          disconnect: () => call.destroy(),
        });
      });
      response.once("close", over);
      response.on("error", over);
    });
    call.end();
    // The daemon's exit does not wait for the broker's.
    call.once("socket", (socket) => socket.unref());
  });
}

interface Told {
  readonly path: string;
  readonly body?: string;
  readonly deadlineMs: number;
}

/** Asks a broker to accept no more connections and to end with its last call. Never rejects. */
export const drainBroker = (target: Omit<Target, "daemonUrl">, deadlineMs: number): Promise<void> =>
  tell(target, { path: DRAIN_PATH, deadlineMs });

/** Tells a broker what it must ask anew. Resolves when it has heard of it, or cannot be reached in time. */
export const tellForgotten = (target: Omit<Target, "daemonUrl">, what: Forgotten, deadlineMs: number): Promise<void> =>
  tell(target, { path: FORGET_PATH, body: JSON.stringify(what), deadlineMs });

function tell({ host, port, token }: Omit<Target, "daemonUrl">, { path, body, deadlineMs }: Told): Promise<void> {
  return new Promise((resolve) => {
    const headers = { [CONTROL_HEADER]: token };
    const call = request({ host, port, path, method: "POST", headers, agent: false });
    const late = setTimeout(() => call.destroy(), deadlineMs);
    call.once("close", () => {
      clearTimeout(late);
      resolve();
    });
    call.on("error", () => undefined);
    call.once("response", (response) => response.resume());
    call.end(body);
  });
}
