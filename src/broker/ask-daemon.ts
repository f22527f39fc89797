import { Agent, request as requestHttp } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { MAX_ANSWER_BYTES, QUESTION_HEADER, questionPath } from "../contract/broker/question-path.ts";
import type { AnswerTo, Asked, QuestionName } from "../contract/broker/questions.ts";

/** A daemon that restarts, or a new leader, answers within this time. */
export const DEADLINE_MS = 15_000;
/** Of one attempt: a daemon that was frozen does not answer. */
const ATTEMPT_MS = 5000;
const RETRY_MS = 100;
/** Statuses of a daemon that is not ready, or of one in front of it. */
const NOT_READY = 500;
/** Those of many engines, each of which has a few. */
const KEPT = { keepAlive: true, maxSockets: 512, timeout: 60_000 } as const;

/** No daemon answered in time. The call that needs the answer may be tried again. */
export class DaemonAway extends Error {
  override readonly name = "DaemonAway";
}

/** The daemon refuses the question. The same one is not asked again. */
export class QuestionRefused extends Error {
  override readonly name = "QuestionRefused";
  readonly status: number;
  /** Such as `NOT_FOUND`. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

interface DaemonAnswer {
  readonly status: number;
  readonly text: string;
}

/** Asks the daemon, over connections that are kept. One that is away for a moment is waited for. */
export class DaemonRoad {
  readonly #token: string;
  readonly #agent = new Agent(KEPT);
  #url: string | null;
  #isClosed = false;

  constructor({ token, url }: { readonly token: string; readonly url: string | null }) {
    this.#token = token;
    this.#url = url;
  }

  /** The daemon that controls this broker from now on. An earlier one has ended, or is about to. */
  follow(url: string): void {
    this.#url = url;
  }

  /** Rejects with {@link DaemonAway} or {@link QuestionRefused}. */
  async ask<Name extends QuestionName>(
    name: Name,
    asked: Asked<Name>,
    { deadlineMs = DEADLINE_MS, signal }: { readonly deadlineMs?: number; readonly signal?: AbortSignal } = {},
  ): Promise<AnswerTo<Name>> {
    const end = performance.now() + deadlineMs;
    const body = JSON.stringify(asked);
    for (;;) {
      const left = end - performance.now();
      const answer = await this.#attempt(name, { body, timeoutMs: Math.min(ATTEMPT_MS, left), signal });
      if (answer !== null && answer.status === 200) return JSON.parse(answer.text) as AnswerTo<Name>;
      if (answer !== null && answer.status < NOT_READY) throw refusalOf(answer);
      if (this.#isClosed || end - performance.now() < RETRY_MS || signal?.aborted === true)
        throw new DaemonAway(`no daemon answered the question ${name}`);
      await delay(RETRY_MS);
    }
  }

  /** Questions that are not answered are given up. */
  close(): void {
    this.#isClosed = true;
    this.#agent.destroy();
  }

  /** Null when no answer arrived. */
  #attempt(
    name: QuestionName,
    {
      body,
      timeoutMs,
      signal,
    }: { readonly body: string; readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
  ): Promise<DaemonAnswer | null> {
    const url = this.#url;
    if (url === null) return Promise.resolve(null);
    const deadline = AbortSignal.timeout(Math.max(1, Math.ceil(timeoutMs)));
    return new Promise((resolve) => {
      const call = requestHttp(url + questionPath(name), {
        method: "POST",
        agent: this.#agent,
        signal: signal === undefined ? deadline : AbortSignal.any([deadline, signal]),
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          [QUESTION_HEADER]: this.#token,
          // A replica that does not lead may repeat it too.
          "idempotency-key": name,
        },
      });
      call.setNoDelay(true);
      call.on("error", () => resolve(null));
      call.once("response", (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => {
          text += part;
          if (text.length > MAX_ANSWER_BYTES) call.destroy();
        });
        response.once("end", () => resolve({ status: response.statusCode ?? 502, text }));
        response.once("close", () => resolve(null));
        response.on("error", () => resolve(null));
      });
      call.end(body);
    });
  }
}

function refusalOf({ status, text }: DaemonAnswer): QuestionRefused {
  const { error } = (text.startsWith("{") ? JSON.parse(text) : {}) as { error?: { code?: string; message?: string } };
  return new QuestionRefused(status, error?.code ?? "UNKNOWN", error?.message ?? `the daemon answered ${status}`);
}
