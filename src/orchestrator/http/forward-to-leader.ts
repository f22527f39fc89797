import type { IncomingMessage } from "node:http";
import { inBackground } from "../../shared/background.ts";
import { Deadline } from "../../shared/deadline.ts";
import { IDEMPOTENCY_KEY_HEADER, PHASE_HEADER, REQUEST_ID_HEADER } from "../../contract/orchestrator/headers.ts";
import { delay } from "../../shared/clock.ts";
import { AUTHENTICATED } from "../../shared/http/unauthenticated-connections.ts";
import type { Replica } from "../status/replica-role.ts";
import { ReplayableBody, BufferedBytes } from "./replayable-body.ts";
import { type Exchange, callUpstream, relayResponse } from "./upstream-call.ts";

/** How long a call waits for a leader. Longer than a change of the leader after a crash takes. */
const WAIT_MS = 12_000;
const RETRY_MS = 200;
const CONNECT_MS = 2000;
/** How long responses and streams of the previous leader may continue after a change. */
const LAST_ANSWER_MS = 500;
const LAST_STREAM_MS = 4500;
const HOP = "1.1 orchd-replica";

/** `lost`: the leader ended and may have executed the call. `missing`: there is no leader. The caller responds to both. */
export type ForwardOutcome = "answered" | "cut" | "lost" | "missing";

/** Whether a replica has forwarded this call. It is not forwarded again, to prevent a loop. */
export const isForwarded = ({ headers }: IncomingMessage): boolean => headers.via?.includes(HOP) ?? false;

/**
 * Forwards calls to the leader, so that idempotency keys, rate limits and the order of operations hold on every replica. A
 * call waits while there is no leader. It is retried when it was not executed, or is safe to repeat.
 */
export class LeaderProxy {
  readonly #replica: Pick<Replica, "leaderUrl" | "term">;
  readonly #sent = new BufferedBytes();

  constructor(replica: Pick<Replica, "leaderUrl" | "term">) {
    this.#replica = replica;
  }

  async forward(exchange: Exchange): Promise<ForwardOutcome> {
    const { request, response } = exchange;
    const gone = new AbortController();
    let term: LeaderTerm | null = null;
    response.once("close", () => {
      gone.abort();
      term?.close();
    });
    const end = new Deadline(WAIT_MS);
    const body = new ReplayableBody(request, this.#sent);
    const headers = passedHeaders(exchange);
    try {
      do {
        const url = this.#replica.leaderUrl;
        if (url === null) continue;
        term = new LeaderTerm(this.#replica.term);
        const outcome = await callUpstream(exchange, {
          url,
          path: request.url ?? "/",
          headers,
          connectMs: CONNECT_MS,
          signal: AbortSignal.any([term.signal, gone.signal]),
          sendBody: (upstream) => body.sendTo(upstream),
        });
        if (outcome.kind === "answered") term.answered = true;
        else term.close();
        if (outcome.kind === "gone") return "cut";
        if (outcome.kind === "answered") {
          const { answer } = outcome;
          const hasNotRun = answer.statusCode === 503 && answer.headers[PHASE_HEADER] !== undefined;
          if (!hasNotRun || !body.isRepeatable || end.isOver) return await relay(answer, exchange);
          answer.destroy();
          term.close();
        }
        if (outcome.kind === "lost" && !(isRepeatable(request) && body.isRepeatable)) return "lost";
      } while (!end.isOver && (await delay(RETRY_MS, gone.signal)));
      return response.closed ? "cut" : "missing";
    } finally {
      body.release();
    }
  }
}

async function relay(answer: IncomingMessage, { request, response }: Exchange): Promise<"answered" | "cut"> {
  if ((answer.statusCode ?? 502) < 400) request.socket.emit(AUTHENTICATED);
  return relayResponse(answer, response);
}

/** Keeps the client's headers. `Via` shows the leader that the call is not local. */
function passedHeaders({ request: { headers, socket }, response }: Exchange) {
  const requestId = response.getHeader(REQUEST_ID_HEADER);
  const from = socket.remoteAddress ?? "unknown";
  return {
    host: headers.host,
    via: headers.via === undefined ? HOP : `${headers.via}, ${HOP}`,
    "x-forwarded-for": [headers["x-forwarded-for"], from].flat().filter(Boolean).join(", "),
    ...(requestId !== undefined && { [REQUEST_ID_HEADER]: requestId }),
  };
}

const isRepeatable = ({ method = "", headers }: IncomingMessage): boolean =>
  ["GET", "HEAD"].includes(method) || headers[IDEMPOTENCY_KEY_HEADER.toLowerCase()] !== undefined;

/** Cuts a call some time after its leader has changed. A frozen leader neither responds nor closes connections. */
class LeaderTerm {
  answered = false;
  readonly #cut = new AbortController();
  readonly #closed = new AbortController();

  constructor(term: AbortSignal) {
    term.addEventListener("abort", () => inBackground("end of a stream from the leader", this.#end()), {
      once: true,
      signal: this.#closed.signal,
    });
  }

  get signal(): AbortSignal {
    return this.#cut.signal;
  }

  close(): void {
    this.#closed.abort();
  }

  async #end(): Promise<void> {
    if (!(await delay(LAST_ANSWER_MS, this.#closed.signal))) return;
    if (this.answered && !(await delay(LAST_STREAM_MS, this.#closed.signal))) return;
    this.#cut.abort();
  }
}
