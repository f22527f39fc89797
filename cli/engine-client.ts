import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { ENGINE_KEY_HEADER, type EngineErrorBody, type PendingRequest } from "../src/contract/engine-api.ts";
import { CliFailure, exitOfStatus } from "./exit-codes.ts";
import { type ReadEvent, readEvents } from "./event-reader.ts";
import { openCall } from "./http.ts";

const DEADLINE_MS = 30_000;
const RECONNECT_MS: readonly number[] = [200, 1000, 2000, 4000, 8000];

/** Calls of one engine with its key. */
export class EngineClient {
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#url = url;
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
    for (let attempt = 0; ; attempt++) {
      try {
        for await (const read of readEvents(response)) {
          if (read.seq !== null && read.seq <= lastSeq) continue;
          lastSeq = read.seq ?? lastSeq;
          attempt = 0;
          yield read;
          if (endsTurn(read)) return;
        }
      } catch (error) {
        if (!(error instanceof Error && "code" in error)) throw error;
      }
      response = await this.#resume(turnId, lastSeq, attempt);
    }
  }

  async answer(requestId: string, answer: string): Promise<void> {
    await this.#json("POST", "/hitl/respond", { request_id: requestId, answer });
  }

  async cancel(taskId: string): Promise<void> {
    await this.#json("POST", "/execute/cancel", { task_id: taskId });
  }

  async pending(): Promise<readonly PendingRequest[]> {
    return ((await this.#json("GET", "/hitl/pending")) as { requests: PendingRequest[] }).requests;
  }

  async #resume(turnId: string, lastSeq: number, attempt: number): Promise<IncomingMessage> {
    const waitMs = RECONNECT_MS[attempt];
    if (waitMs === undefined)
      throw new CliFailure("unavailable", "the connection to the engine is lost; its turn may go on");
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    try {
      return await this.#stream(
        "GET",
        `/execute/replay?turn_id=${encodeURIComponent(turnId)}&after=${lastSeq}&follow=true`,
      );
    } catch (error) {
      if (error instanceof CliFailure && error.exit === "unavailable")
        return this.#resume(turnId, lastSeq, attempt + 1);
      throw error;
    }
  }

  async #stream(method: string, path: string, body?: unknown): Promise<IncomingMessage> {
    const response = await this.#open(method, path, body, { accept: "text/event-stream" });
    if (response.statusCode !== 200) throw await refusal(response);
    return response;
  }

  async #json(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await this.#open(method, path, body);
    if (response.statusCode !== 200) throw await refusal(response);
    return JSON.parse(await text(response));
  }

  #open(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<IncomingMessage> {
    return openCall(this.#url, {
      method,
      path,
      headers: { [ENGINE_KEY_HEADER]: this.#key, ...headers },
      body,
      deadlineMs: DEADLINE_MS,
    });
  }
}

function endsTurn({ event }: ReadEvent): boolean {
  return event.event === "error" || (event.event === "thread_lifecycle" && event.data.phase === "completed");
}

async function refusal(response: IncomingMessage): Promise<CliFailure> {
  const answer = await text(response);
  const exit = exitOfStatus(response.statusCode ?? 0);
  try {
    const { error, message } = JSON.parse(answer) as EngineErrorBody;
    return new CliFailure(exit, `${message} (${error})`, error);
  } catch {
    return new CliFailure(exit, `the engine answered ${response.statusCode}`);
  }
}
