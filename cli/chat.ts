import type { EngineClient } from "../src/client/engine-client.ts";
import type { HumanRequest } from "../src/client/human-responder.ts";
import { CLIENT_ERRORS, OrchdError } from "../src/client/orchd-error.ts";
import type { Turn } from "../src/client/turn.ts";
import { onInterrupt } from "../src/shared/shutdown-signals.ts";
import { type AnswerSources, decide, isExit } from "./answers.ts";
import { cliFailure } from "./client-failure.ts";
import { describeFailure } from "./describe-failure.ts";
import { CliFailure } from "./exit-codes.ts";
import { type Printer, safe } from "./output.ts";
import { TurnDeadline } from "./turn-deadline.ts";
import { TurnView } from "./turn-view.ts";

const CANCEL_MS = 5000;

export interface ChatParts {
  readonly engine: EngineClient;
  readonly print: Printer;
  readonly user: string;
  readonly taskId: string;
  readonly thinking?: boolean;
  readonly agent?: string | undefined;
  /** How long a turn may take; null is as long as it likes. */
  readonly timeoutS: number | null;
  readonly answers: AnswerSources;
}

const COMMANDS = ["/help   this list", "/exit   leave, as Ctrl-D does", "Ctrl-C  cancel the turn that runs"];

/** One conversation with one engine, turn after turn. */
export class Chat {
  readonly #parts: ChatParts;
  /** `/exit` was the reply to a question. */
  #isLeft = false;

  constructor(parts: ChatParts) {
    this.#parts = parts;
  }

  /** Runs a turn, shown as it goes; its questions are answered. Ctrl-C cancels it. */
  turn(message: string): Promise<void> {
    const { engine, taskId, thinking, agent } = this.#parts;
    return this.#show((reading) => engine.execute({ taskId, message, thinking, agent, ...reading }));
  }

  /** Shows the rest of a turn, from behind the answer to one of its questions. */
  rest({ turnId, requestId }: { readonly turnId: string; readonly requestId: string }): Promise<void> {
    const { engine, taskId } = this.#parts;
    return this.#show((reading) => engine.resume({ taskId, turnId, ...reading }), requestId);
  }

  /** Messages from the terminal until `/exit`, Ctrl-D, or Ctrl-C outside a turn. A turn that fails does not end it. */
  async converse(): Promise<void> {
    const { taskId, print, answers } = this.#parts;
    print.note(`Task ${taskId}. Type a message, for example: What can you do?`);
    print.note("Ctrl-C cancels a turn, Ctrl-D leaves, /help lists commands.");
    while (!this.#isLeft) {
      const reply = await answers.terminal?.ask("> ");
      if (reply?.kind !== "line" || isExit(reply.text)) return;
      if (reply.text === "") continue;
      // Only these words: the sandbox model has commands of its own that begin with a slash.
      if (reply.text === "/help") {
        this.#help();
        continue;
      }
      try {
        await this.turn(reply.text);
      } catch (error) {
        if (!(error instanceof CliFailure)) throw error;
        print.note(describeFailure(error));
      }
    }
  }

  async #show(begin: (reading: Reading) => Turn, afterAnswerTo?: string): Promise<void> {
    const { engine, user, print, timeoutS } = this.#parts;
    const view = new TurnView(print);
    const undo = onInterrupt(() => void this.#cancel());
    const deadline = new TurnDeadline(timeoutS, () => this.#cancel());
    const turn = begin({
      signal: deadline.signal,
      onHuman: (question, { signal }) => this.#respond(question, signal),
      onRetry: ({ error, waitMs }) =>
        print.note(`orchctl: ${error.message}; trying again in ${Math.ceil(waitMs / 1000)} s`),
    });
    let awaited = afterAnswerTo;
    try {
      for await (const event of turn) {
        if (awaited === undefined) view.show(event);
        else if (event.event === "hitl_resolved" && event.data.request_id === awaited) awaited = undefined;
      }
      await turn.result();
    } catch (error) {
      throw failureOf(error, { user, url: engine.url });
    } finally {
      view.end();
      undo();
      deadline.close();
    }
  }

  /** The answer to the engine's question, if there is somebody to give it. */
  async #respond(question: HumanRequest, signal: AbortSignal): Promise<string | undefined> {
    const { answers, user } = this.#parts;
    const decision = await decide(question, answers, { signal, help: () => this.#help() });
    switch (decision.kind) {
      case "answer":
        return decision.answer;
      case "exit":
        this.#isLeft = true;
        await this.#cancel();
        return undefined;
      case "cancel":
        await this.#cancel();
        return undefined;
      case "withdrawn":
        return undefined;
      case "nobody":
        throw nobodyAnswers(user, question);
      default:
        return decision satisfies never;
    }
  }

  #help(): void {
    this.#parts.print.note(COMMANDS.join("\n"));
  }

  async #cancel(): Promise<void> {
    const { engine, taskId, print } = this.#parts;
    try {
      await engine.cancel(taskId, { signal: AbortSignal.timeout(CANCEL_MS) });
    } catch (error) {
      print.note(`orchctl: the turn could not be cancelled: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

type Reading = Pick<Parameters<EngineClient["resume"]>[0], "signal" | "onHuman" | "onRetry">;

/** The turn goes on waiting in the engine; whoever started it is told what to type. */
function nobodyAnswers(user: string, { request_id: id }: HumanRequest): CliFailure {
  return new CliFailure(
    "waiting",
    `the turn waits for an answer to request ${safe(id)}, and nobody is at a terminal to give it`,
    null,
    `orchctl answer ${safe(user)} ${safe(id)} ANSWER --follow answers it and shows the rest; with --answer <text> or --auto first, orchctl chat answers by itself`,
  );
}

/** A turn's own failure has no status; a refused call is told as such. */
function failureOf(error: unknown, where: { readonly user: string; readonly url: string }): unknown {
  const failed = error instanceof OrchdError && error.status === null && !(error.code in CLIENT_ERRORS);
  const failure = cliFailure(error, failed ? undefined : where);
  if (!failed || !(failure instanceof CliFailure)) return failure;
  return new CliFailure(failure.exit, `the turn failed: ${failure.message}`, failure.code);
}
