import type { AttachmentPart, MessageContent } from "../src/client/records.ts";
import { inBackground } from "../src/shared/background.ts";
import type { EngineClient } from "../src/client/engine-client.ts";
import type { HumanRequest } from "../src/client/human-responder.ts";
import { CLIENT_ERRORS, OrchdError } from "../src/client/orchd-error.ts";
import type { Turn } from "../src/client/turn.ts";
import { onInterrupt } from "../src/shared/shutdown-signals.ts";
import { attachFile, messageWith } from "./attachments.ts";
import { type AnswerSources, decide, isExit } from "./answers.ts";
import { type EngineContext, describeContext, toCliFailure, describeFailure } from "./client-failure.ts";
import { CliFailure } from "./exit-codes.ts";
import { ModelWatch } from "./model-watch.ts";
import { ChatInbox, type TurnOptions } from "./chat-inbox.ts";
import { type HeldPrinter, holdable } from "./held-printer.ts";
import { type Printer, safe } from "./output.ts";
import { TurnDeadline } from "./turn-deadline.ts";
import { TurnView } from "./turn-view.ts";
import { type SendHow, TypedMessages } from "./typed-messages.ts";

const CANCEL_MS = 5000;

interface ConversationParts {
  readonly engine: EngineClient;
  readonly print: Printer;
  readonly context: EngineContext;
  readonly taskId: string;
  /** What each message asks for. */
  readonly asked?: TurnOptions;
  /** The time limit of a turn; null for none. */
  readonly timeoutS: number | null;
  readonly answers: AnswerSources;
}

const COMMANDS = [
  "/help         this list",
  "/attach FILE  attach a file to the next message",
  "/exit         leave, like Ctrl-D",
  "Ctrl-C        cancel the running turn",
  "",
  "While the agent works:",
  "Enter         hand the message to the running turn",
  "Alt-Enter     let it wait for a turn of its own",
  "/inbox        list the messages that wait",
  "/edit N TEXT  change one; /remove N removes it",
];
const ATTACH = /^\/attach\s+(.+)$/;

/** A conversation with an engine, turn by turn. */
export class Conversation {
  readonly #parts: ConversationParts;
  readonly #inbox: ChatInbox;
  readonly #print: HeldPrinter;
  /** Reads the terminal while a turn runs; null outside a conversation on a terminal. */
  #typed: TypedMessages | null = null;
  /** `/exit` was the reply to a question. */
  #isLeft = false;
  /** Settles when the last question is decided, since only one prompt is open at a time. */
  #lastDecision: Promise<unknown> = Promise.resolve();
  #openQuestions = 0;

  constructor(parts: ConversationParts) {
    this.#parts = parts;
    this.#print = holdable(parts.print);
    const { engine, taskId, asked } = parts;
    this.#inbox = new ChatInbox({ engine, print: this.#print, common: { taskId, ...asked } });
  }

  /** Runs a turn, prints its events and answers its questions. Ctrl-C cancels it. */
  turn(message: MessageContent): Promise<void> {
    const { engine, taskId, asked } = this.#parts;
    return this.#show((reading) => engine.execute({ taskId, message, ...asked, ...reading }));
  }

  /** Prints the rest of a turn, after the answer to one of its questions. */
  rest({ turnId, requestId }: { readonly turnId: string; readonly requestId: string }): Promise<void> {
    const { engine, taskId } = this.#parts;
    return this.#show((reading) => engine.resume({ taskId, turnId, ...reading }), requestId);
  }

  /** Reads messages from the terminal until `/exit`, Ctrl-D, or Ctrl-C outside a turn. Failed turns do not end it. */
  async converse(): Promise<void> {
    const { taskId, print, answers } = this.#parts;
    print.note(`Task ${taskId}. Type a message, for example: What can you do?`);
    print.note("Ctrl-C cancels a turn, Ctrl-D leaves, /help lists commands.");
    let attachments: readonly AttachmentPart[] = [];
    this.#typed = new TypedMessages({
      onMessage: (text, how) => inBackground("message of a person", this.#type(text, how)),
      hold: () => this.#print.hold(),
      release: () => this.#print.release(),
    });
    while (!this.#isLeft) {
      const reply = await answers.terminal?.ask("> ");
      if (reply?.kind === "interrupted") throw new CliFailure("interrupted", "interrupted");
      if (reply?.kind !== "line" || isExit(reply.text)) return;
      if (reply.text === "") continue;
      // Other slash commands are for the sandbox model.
      if (reply.text === "/help") {
        this.#help();
        continue;
      }
      try {
        const path = ATTACH.exec(reply.text)?.[1];
        if (path === undefined) {
          const message = messageWith(reply.text, attachments);
          attachments = [];
          await this.turn(message);
          await this.#waiting();
        } else {
          attachments = [...attachments, await attachFile(path.trim())];
          print.note(`Attached to the next message: ${attachments.map(({ name }) => safe(name ?? "")).join(", ")}`);
        }
      } catch (error) {
        if (!(error instanceof CliFailure)) throw error;
        print.note(describeFailure(error));
      }
    }
  }

  /** Shows the turns of messages that were written meanwhile. */
  async #waiting(): Promise<void> {
    const { engine } = this.#parts;
    for (let next = this.#inbox.next(); next !== undefined && !this.#isLeft; next = this.#inbox.next()) {
      const message = next;
      await this.#show((reading) => engine.execute({ ...message, ...reading }));
    }
  }

  async #type(text: string, how: SendHow): Promise<void> {
    if (text === "/help") this.#help();
    else await this.#inbox.typed(text, how);
  }

  async #show(start: (reading: Reading) => Turn, afterAnswerTo?: string): Promise<void> {
    const { engine, context, timeoutS } = this.#parts;
    const print = this.#print;
    const view = new TurnView(print);
    const undo = onInterrupt(() => inBackground("cancel of a turn", this.#cancel()));
    const deadline = new TurnDeadline(timeoutS, () => this.#cancel(), describeContext(context));
    const note = (text: string) => {
      // On a terminal a note begins on a line of its own; a pipe gets the text as it is.
      if (print.columns() !== null) view.end();
      print.note(`orchctl: ${safe(text)}`);
    };
    const watch = new ModelWatch(engine, note);
    const turn = start({
      ...(this.#typed !== null && { events: "message" }),
      signal: deadline.signal,
      onHuman: (question, { signal }) => this.#respond(question, signal),
      onRetry: ({ error, waitMs }) => note(`${error.message}; retrying in ${Math.ceil(waitMs / 1000)} s`),
    });
    let awaited = afterAnswerTo;
    print.beforeHold = () => view.end();
    this.#typed?.open();
    try {
      for await (const event of turn) {
        this.#inbox.seen(event);
        if (event.event === "hitl_request") watch.pause();
        else if (event.event !== "heartbeat") watch.expect();
        if (event.event === "hitl_request" && this.#isPrompting()) continue;
        if (awaited === undefined) view.show(event);
        else if (event.event === "hitl_resolved" && event.data.request_id === awaited) awaited = undefined;
      }
      await turn.result();
    } catch (error) {
      throw failureOf(error, context);
    } finally {
      this.#typed?.close();
      watch.close();
      view.end();
      undo();
      deadline.close();
    }
  }

  /** Whether a prompt is open. The event of another question is then delayed. */
  #isPrompting(): boolean {
    const { answers, print } = this.#parts;
    return this.#openQuestions > 0 && answers.terminal !== null && !print.json;
  }

  /** The answer to the engine's question, if there is one. Further questions wait for their turn at the prompt. */
  #respond(question: HumanRequest, signal: AbortSignal): Promise<string | undefined> {
    const isBehind = this.#openQuestions++ > 0;
    const answer = this.#lastDecision.then(() => this.#ask(question, { signal, isBehind }));
    this.#lastDecision = answer.catch(() => undefined).finally(() => this.#openQuestions--);
    return answer;
  }

  async #ask(
    question: HumanRequest,
    { signal, isBehind }: { readonly signal: AbortSignal; readonly isBehind: boolean },
  ): Promise<string | undefined> {
    const { answers, context, print } = this.#parts;
    if (signal.aborted) return undefined;
    if (isBehind && answers.terminal !== null) print.note(describeQuestion(question));
    this.#typed?.close();
    const decision = await decide(question, answers, { signal, help: () => this.#help() });
    if (decision.kind !== "nobody") this.#typed?.open();
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
        throw unanswered(context.user, question);
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

type Reading = Pick<Parameters<EngineClient["resume"]>[0], "signal" | "onHuman" | "onRetry" | "events">;

/** A question that had to wait for the prompt. */
const describeQuestion = ({ question, options }: HumanRequest): string =>
  [`? ${safe(question)}`, ...options.map((option, index) => `  ${index + 1}. ${safe(option)}`)].join("\n");

/** The turn keeps waiting in the engine. The advice shows how to answer. */
function unanswered(user: string, { request_id: id }: HumanRequest): CliFailure {
  return new CliFailure(
    "waiting",
    `the turn waits for an answer to request ${safe(id)}, and there is no terminal to ask on`,
    null,
    `orchctl answer ${safe(user)} ${safe(id)} ANSWER --follow answers it and shows the rest; orchctl chat answers by itself with --answer <text> or --auto first`,
  );
}

/** Distinguishes a failed turn, whose error has no HTTP status and no client code, from a failed call. */
function failureOf(error: unknown, context: EngineContext): unknown {
  const failed = error instanceof OrchdError && error.status === null && !(error.code in CLIENT_ERRORS);
  const failure = toCliFailure(error, context);
  if (!failed || !(failure instanceof CliFailure)) return failure;
  return new CliFailure(failure.exit, `the turn failed: ${failure.message}`, failure.code, failure.advice);
}
