import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { ENGINE_KEY_HEADER, type EngineErrorBody } from "../src/contract/engine-api.ts";
import { type ReadEvent, readEvents } from "./event-reader.ts";
import { CliFailure, exitOfStatus } from "./exit-codes.ts";
import { openCall, readText } from "./http.ts";
import { isCut } from "./sse-frames.ts";

const DEADLINE_MS = 30_000;
/** Four heartbeats: a stream that is silent for longer is dead. */
const IDLE_MS = 60_000;
const RECONNECT_MS: readonly number[] = [200, 1000, 2000, 4000, 8000];

/** Calls of one engine with its key. */
export class EngineClient {
  readonly url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.url = url;
    this.#key = key;
  }

  /**
   * Runs a turn and gives its events, each once, to its end. A connection that is lost before is taken up again where
   * it was cut: the turn goes on without us.
   */
  async *execute(wish: {
    readonly taskId: string;
    readonly message: string;
    readonly thinking: boolean;
  }): AsyncGenerator<ReadEvent> {
    const body = { task_id: wish.taskId, message: wish.message, thinking: wish.thinking };
    let response = await this.#stream("POST", "/execute", body);
    const turnId = String(response.headers["x-turn-id"] ?? "");
    let lastSeq = 0;
    for (let lost = 0; ; lost++) {
      try {
        for await (const read of readEvents(response)) {
          if (read.seq !== null && read.seq <= lastSeq) continue;
          lastSeq = read.seq ?? lastSeq;
          lost = 0;
          yield read;
          if (endsTurn(read)) return;
        }
      } catch (error) {
        if (!isCut(error)) throw error;
      }
      response = await this.#resume(turnId, lastSeq, lost);
    }
  }

  async answer(requestId: string, answer: string): Promise<void> {
    await this.#post("/hitl/respond", { request_id: requestId, answer });
  }

  async cancel(taskId: string): Promise<void> {
    await this.#post("/execute/cancel", { task_id: taskId });
  }

  async #resume(turnId: string, lastSeq: number, lost: number): Promise<IncomingMessage> {
    const waitMs = RECONNECT_MS[lost];
    if (waitMs === undefined) {
      throw new CliFailure("unavailable", "the connection to the engine is lost; its turn may go on");
    }
    await sleep(waitMs);
    try {
      const query = `turn_id=${encodeURIComponent(turnId)}&after=${lastSeq}&follow=true`;
      return await this.#stream("GET", `/execute/replay?${query}`);
    } catch (error) {
      if (!(error instanceof CliFailure && error.exit === "unavailable")) throw error;
      return this.#resume(turnId, lastSeq, lost + 1);
    }
  }

  async #stream(method: string, path: string, body?: unknown): Promise<IncomingMessage> {
    const response = await this.#open(method, path, { body, accept: "text/event-stream" });
    if (response.statusCode !== 200) throw await refusal(response);
    return response;
  }

  async #post(path: string, body: unknown): Promise<void> {
    const response = await this.#open("POST", path, { body, accept: "application/json" });
    if (response.statusCode !== 200) throw await refusal(response);
    await readText(response);
  }

  #open(method: string, path: string, { body, accept }: { body: unknown; accept: string }): Promise<IncomingMessage> {
    const headers = { [ENGINE_KEY_HEADER]: this.#key, accept };
    return openCall(this.url, { method, path, headers, body, deadlineMs: DEADLINE_MS, idleMs: IDLE_MS });
  }
}

function endsTurn({ event }: ReadEvent): boolean {
  return event.event === "error" || (event.event === "thread_lifecycle" && event.data.phase === "completed");
}

async function refusal(response: IncomingMessage): Promise<CliFailure> {
  const answer = await readText(response);
  const exit = exitOfStatus(response.statusCode ?? 0);
  try {
    const { error, message } = JSON.parse(answer) as EngineErrorBody;
    return new CliFailure(exit, `${message} (${error})`, error);
  } catch {
    return new CliFailure(exit, `the engine answered ${response.statusCode}`);
  }
}
