import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type BrokerOrder,
  type BrokerReport,
  CONTROL_HEADER,
  DRAIN_PATH,
  HEALTH_PATH,
  LIVE_PATH,
} from "../contract/broker/broker-order.ts";
import { sameSecret } from "../contract/orchestrator/api-keys.ts";
import type { CallCounts } from "./call-counts.ts";

/** A report follows a change after this time. */
const REPORT_MS = 500;

/** The daemon's calls: a response that lasts as long as the broker, with its counts, and the end. */
export class BrokerControl {
  readonly #order: Pick<BrokerOrder, "build" | "control_token">;
  readonly #counts: CallCounts;
  readonly #drain: () => void;
  readonly #watchers = new Set<ServerResponse>();
  #isDue = false;

  constructor(order: Pick<BrokerOrder, "build" | "control_token">, counts: CallCounts, drain: () => void) {
    this.#order = order;
    this.#counts = counts;
    this.#drain = drain;
    counts.onChange = () => this.#report();
  }

  /** False when it is no call of the daemon, or of a probe. */
  answer({ url, method, headers }: IncomingMessage, response: ServerResponse): boolean {
    if (url === HEALTH_PATH) {
      response.writeHead(200).end("ok");
      return true;
    }
    if (url !== LIVE_PATH && url !== DRAIN_PATH) return false;
    const token = headers[CONTROL_HEADER];
    if (typeof token !== "string" || !sameSecret(token, this.#order.control_token)) {
      response.writeHead(401).end();
    } else if (url === DRAIN_PATH && method === "POST") {
      response.writeHead(202, { connection: "close" }).end();
      this.#drain();
    } else if (url === LIVE_PATH && method === "GET") {
      response.writeHead(200, { "content-type": "application/jsonl" });
      response.write(this.#line());
      this.#watchers.add(response);
      response.once("close", () => this.#watchers.delete(response));
    } else response.writeHead(405).end();
    return true;
  }

  /** Ends the responses of daemons, which would keep the server open. */
  close(): void {
    for (const watcher of this.#watchers) watcher.end();
  }

  #line(): string {
    const report: BrokerReport = { build: this.#order.build, pid: process.pid, ...this.#counts.report() };
    return `${JSON.stringify(report)}\n`;
  }

  #report(): void {
    if (this.#isDue || this.#watchers.size === 0) return;
    this.#isDue = true;
    setTimeout(() => {
      this.#isDue = false;
      // A daemon that does not read gets the next report.
      for (const watcher of this.#watchers) if (!watcher.writableNeedDrain) watcher.write(this.#line());
    }, REPORT_MS);
  }
}
