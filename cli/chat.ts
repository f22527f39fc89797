import type { EngineClient } from "../src/client/engine-client.ts";
import type { HumanRequest } from "../src/client/humans.ts";
import { CLIENT_ERRORS, OrchdError } from "../src/client/orchd-error.ts";
import { onInterrupt } from "../src/kit/shutdown-signals.ts";
import { type AnswerSources, decide } from "./answers.ts";
import { cliFailure } from "./client-failure.ts";
import { CliFailure } from "./exit-codes.ts";
import { type Printer, safe } from "./output.ts";
import { TurnView } from "./turn-view.ts";

export interface ChatParts {
  readonly engine: EngineClient;
  readonly print: Printer;
  readonly taskId: string;
  readonly thinking: boolean;
  readonly answers: AnswerSources;
}

/** One conversation with one engine, turn after turn. */
export class Chat {
  readonly #parts: ChatParts;

  constructor(parts: ChatParts) {
    this.#parts = parts;
  }

  /** Runs a turn, shown as it goes; its questions are answered. Ctrl-C cancels it. */
  async turn(message: string): Promise<void> {
    const { engine, taskId, thinking, print } = this.#parts;
    const view = new TurnView(print);
    const undo = onInterrupt(() => void this.#cancel());
    const turn = engine.execute({
      taskId,
      message,
      thinking,
      onHuman: (question) => this.#respond(question),
      onRetry: ({ error, waitMs }) =>
        print.note(`orchctl: ${safe(error.message)}; trying again in ${Math.ceil(waitMs / 1000)} s`),
    });
    try {
      for await (const event of turn) view.show(event);
      await turn.result();
    } catch (error) {
      throw failureOf(error);
    } finally {
      undo();
    }
  }

  /** Messages from the terminal until Ctrl-D, or Ctrl-C outside a turn. A turn that fails does not end it. */
  async converse(): Promise<void> {
    const { taskId, print, answers } = this.#parts;
    print.note(`Task ${taskId}. Type a message, for example: What can you do?`);
    print.note("Ctrl-C cancels a turn, Ctrl-D leaves.");
    for (;;) {
      const reply = await answers.terminal?.ask("> ");
      if (reply?.kind !== "line") return;
      if (reply.text === "") continue;
      try {
        await this.turn(reply.text);
      } catch (error) {
        if (!(error instanceof CliFailure)) throw error;
        print.note(`orchctl: ${error.message}`);
      }
    }
  }

  /** The answer to the engine's question, if there is somebody to give it. */
  async #respond(question: HumanRequest): Promise<string | undefined> {
    const { engine, answers, print } = this.#parts;
    const decision = await decide(question, answers);
    switch (decision.kind) {
      case "answer":
        return decision.answer;
      case "cancel":
        await this.#cancel();
        return undefined;
      case "nobody":
        print.note(howToAnswer(engine.url, question));
        return undefined;
      default:
        return decision satisfies never;
    }
  }

  async #cancel(): Promise<void> {
    const { engine, taskId, print } = this.#parts;
    try {
      await engine.cancel(taskId);
    } catch (error) {
      print.note(`orchctl: the turn could not be cancelled: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

function howToAnswer(url: string, { request_id: id, options }: HumanRequest): string {
  const body = JSON.stringify({ request_id: id, answer: options[0] ?? "…" }).replaceAll("'", "'\\''");
  return [
    "orchctl: the turn waits for an answer, and nobody is at a terminal to give it. From elsewhere:",
    `  curl ${url}/hitl/respond -H "X-Engine-Key: $ORCH_ENGINE_KEY" -H "Content-Type: application/json" -d '${safe(body)}'`,
    "With --answer <text> or --auto first, orchctl chat answers by itself.",
  ].join("\n");
}

/** A turn's own failure has no status; a refused call is told as such. */
function failureOf(error: unknown): unknown {
  const failure = cliFailure(error);
  if (!(failure instanceof CliFailure && error instanceof OrchdError)) return failure;
  const failed = error.status === null && !(error.code in CLIENT_ERRORS);
  return failed ? new CliFailure(failure.exit, `the turn failed: ${safe(failure.message)}`, failure.code) : failure;
}
