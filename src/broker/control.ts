import type { IncomingMessage, ServerResponse } from "node:http";
import * as z from "zod/mini";
import {
  type BrokerReport,
  CONTROL_HEADER,
  DAEMON_HEADER,
  DRAIN_PATH,
  HEALTH_PATH,
  LIVE_PATH,
} from "../contract/broker/broker-order.ts";
import { FORGET_PATH, type Forgotten, MAX_FORGET_BYTES, forgotten } from "../contract/broker/forget.ts";
import { ONCE_PATH, ONCE_STORED_PATH, type OnceCall } from "../contract/broker/once-call.ts";
import { sameSecret } from "../contract/orchestrator/api-keys.ts";
import type { DaemonRoad } from "./ask-daemon.ts";
import type { CallCounts } from "./call-counts.ts";
import type { OnceCalls } from "./once-calls.ts";
import { Refusal } from "./outgoing.ts";
import { readJson } from "./read-json.ts";

/** A report follows a change after this time. */
const REPORT_MS = 500;
const PATHS: ReadonlySet<string> = new Set([LIVE_PATH, DRAIN_PATH, FORGET_PATH, ONCE_PATH, ONCE_STORED_PATH]);
/** A form with a refresh token. */
const MAX_ONCE_BYTES = 256 * 1024;

interface ControlParts {
  readonly build: string;
  /** The daemon's. */
  readonly token: string;
  readonly counts: CallCounts;
  readonly road: DaemonRoad;
  readonly once: OnceCalls;
  readonly drain: () => void;
  readonly forget: (what: Forgotten) => void;
}

/**
 * The daemon's calls: a response that lasts as long as the broker, with its counts; the end; what has changed; and what is to
 * be sent once.
 */
export class BrokerControl {
  readonly #parts: ControlParts;
  readonly #watchers = new Set<ServerResponse>();
  #isDue = false;

  constructor(parts: ControlParts) {
    this.#parts = parts;
    parts.counts.onChange = () => this.#report();
  }

  /** False when it is no call of the daemon, or of a probe. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    const { url = "", method, headers } = request;
    if (url === HEALTH_PATH) {
      response.writeHead(200).end("ok");
      return true;
    }
    if (!PATHS.has(url)) return false;
    const token = headers[CONTROL_HEADER];
    if (typeof token !== "string" || !sameSecret(token, this.#parts.token)) {
      response.writeHead(401).end();
    } else if (url === DRAIN_PATH && method === "POST") {
      response.writeHead(202, { connection: "close" }).end();
      this.#parts.drain();
    } else if (url === LIVE_PATH && method === "GET") {
      const daemon = headers[DAEMON_HEADER];
      if (typeof daemon === "string") this.#parts.road.follow(daemon);
      response.writeHead(200, { "content-type": "application/jsonl" });
      response.write(this.#line());
      this.#watchers.add(response);
      response.once("close", () => this.#watchers.delete(response));
    } else if (method === "POST" && url !== LIVE_PATH) {
      const answered = url === FORGET_PATH ? this.#forget(request, response) : this.#once(request, response);
      answered.catch((error: unknown) => {
        if (!response.headersSent) response.writeHead(error instanceof Refusal ? error.status : 500);
        response.end();
      });
    } else response.writeHead(405).end();
    return true;
  }

  async #once(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = (await readJson(request, MAX_ONCE_BYTES)) as OnceCall;
    const { once } = this.#parts;
    const answer = request.url === ONCE_PATH ? await once.run(asked) : once.stored(asked.id);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer ?? {}));
  }

  /** Ends the responses of daemons, which would keep the server open. */
  close(): void {
    for (const watcher of this.#watchers) watcher.end();
  }

  async #forget(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { data } = z.safeParse(forgotten, await readJson(request, MAX_FORGET_BYTES));
    if (data === undefined) throw new Refusal(400, "expected what to forget");
    this.#parts.forget(data);
    response.writeHead(204).end();
  }

  #line(): string {
    const report: BrokerReport = { build: this.#parts.build, pid: process.pid, ...this.#parts.counts.report() };
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
