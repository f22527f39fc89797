import type { EngineEventData } from "../src/contract/engine-events.ts";
import { onInterrupt } from "../src/kit/shutdown-signals.ts";
import { type AnswerSources, decide } from "./answers.ts";
import type { EngineClient } from "./engine-client.ts";
import { CliFailure, type ExitName } from "./exit-codes.ts";
import { type Printer, safe } from "./output.ts";
import { TurnView } from "./turn-view.ts";

export interface ChatParts {
  readonly engine: EngineClient;
  readonly print: Printer;
  readonly taskId: string;
  readonly thinking: boolean;
  readonly answers: AnswerSources;
}

const EXIT_OF_TURN: Readonly<Record<string, ExitName>> = {
  LLM_RATE_LIMITED: "limited",
  CANCELLED: "interrupted",
  CHANNEL_EXPIRED: "timeout",
};

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
    try {
      for await (const { event } of engine.execute({ taskId, message, thinking })) {
        view.show(event);
        if (event.event === "hitl_request") await this.#respond(event.data);
        if (event.event === "error") throw failureOf(event.data);
      }
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

  async #respond(question: EngineEventData["hitl_request"]): Promise<void> {
    const { engine, answers, print } = this.#parts;
    const decision = await decide(question, answers);
    switch (decision.kind) {
      case "answer":
        return engine.answer(question.request_id, decision.answer).catch((error: unknown) => {
          // Somebody else was faster: the turn goes on, with their answer.
          if (!(error instanceof CliFailure && error.code === "HITL_ALREADY_ANSWERED")) throw error;
          print.note("orchctl: this was answered elsewhere");
        });
      case "cancel":
        return this.#cancel();
      case "nobody":
        return print.note(howToAnswer(engine.url, question));
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

function howToAnswer(url: string, { request_id: id, options }: EngineEventData["hitl_request"]): string {
  const body = JSON.stringify({ request_id: id, answer: options[0] ?? "…" }).replaceAll("'", "'\\''");
  return [
    "orchctl: the turn waits for an answer, and nobody is at a terminal to give it. From elsewhere:",
    `  curl ${url}/hitl/respond -H "X-Engine-Key: $ORCH_ENGINE_KEY" -H "Content-Type: application/json" -d '${safe(body)}'`,
    "With --answer <text> or --auto first, orchctl chat answers by itself.",
  ].join("\n");
}

function failureOf({ error, message }: EngineEventData["error"]): CliFailure {
  return new CliFailure(EXIT_OF_TURN[error] ?? "unavailable", `the turn failed: ${safe(message)} (${error})`, error);
}
