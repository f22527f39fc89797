import { type Interface, createInterface } from "node:readline/promises";
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import type { EngineRecord } from "../../src/contract/orchestrator-api.ts";
import { newId } from "../../src/kit/ids.ts";
import { onInterrupt } from "../../src/kit/shutdown-signals.ts";
import { EngineClient } from "../engine-client.ts";
import type { ReadEvent } from "../event-reader.ts";
import { CliFailure } from "../exit-codes.ts";
import { pathSegment } from "../http.ts";
import { promptSecret } from "../secret-input.ts";
import { type Session, example, sessionOf } from "../session.ts";
import type { Settings } from "../settings.ts";
import { TurnView } from "../turn-view.ts";

interface ChatOptions {
  readonly task?: string;
  readonly thinking: boolean;
  readonly answer?: string[];
}

export function chatCommand(program: Command, settings: Settings): void {
  program
    .command("chat <user> [message...]")
    .description("Talk to a user's engine: one message, standard input, or a conversation")
    .option("--task <id>", "the conversation to go on with; a new one when left out")
    .option("--thinking", "let the model think first", false)
    .option(
      "--answer <text>",
      "answer a question with this; may be given several times, for scripts",
      (value: string, before: string[] | undefined) => [...(before ?? []), value],
    )
    .addHelpText("after", example('orchctl chat alice "What can you do?"'))
    .action(async (user: string, words: string[], options: ChatOptions, command: Command) => {
      const session = sessionOf(command, settings);
      const engine = await engineOf(session, user);
      const chat = new Chat(session, engine, { ...options, task: options.task ?? newId("task") });
      try {
        await chat.run(words.join(" "));
      } finally {
        chat.close();
      }
    });
}

async function engineOf({ client, credentials, settings }: Session, user: string): Promise<EngineClient> {
  const record = (await client.platform(`/engines/${pathSegment(user)}`)) as EngineRecord;
  if (!record.running) {
    throw new CliFailure("conflict", `the engine is ${record.state}; orchctl engines start ${user} starts it`);
  }
  const kept = settings.engineKey ?? (await credentials.engineKey(await client.product(), user));
  const key = kept ?? (await promptSecret(`Engine key of ${user}: `));
  if (key === null) {
    throw new CliFailure(
      "denied",
      `no key of this engine is kept: set ORCH_ENGINE_KEY, or orchctl engines rotate-key ${user} makes a new one`,
    );
  }
  return new EngineClient(record.url, key);
}

/** A conversation with one engine. */
class Chat {
  readonly #session: Session;
  readonly #engine: EngineClient;
  readonly #options: ChatOptions & { readonly task: string };
  readonly #answers: string[];
  #terminal: Interface | undefined;

  constructor(session: Session, engine: EngineClient, options: ChatOptions & { readonly task: string }) {
    this.#session = session;
    this.#engine = engine;
    this.#options = options;
    this.#answers = [...(options.answer ?? [])];
  }

  async run(message: string): Promise<void> {
    if (message !== "") return this.#turn(message);
    if (!process.stdin.isTTY) return this.#turn((await text(process.stdin)).trim());
    const { print } = this.#session;
    print.note(`Task ${this.#options.task}. Type a message, for example "What can you do?"; an empty line ends.`);
    for (;;) {
      const line = await this.#readLine("> ");
      if (line === "") return;
      await this.#turn(line).catch((error: unknown) => {
        if (!(error instanceof CliFailure)) throw error;
        print.note(`orchctl: ${error.message}`);
      });
    }
  }

  close(): void {
    this.#terminal?.close();
  }

  async #turn(message: string): Promise<void> {
    if (message === "") throw new CliFailure("usage", "expected a message, as an argument or on standard input");
    const { task: taskId, thinking } = this.#options;
    const view = new TurnView(this.#session.print);
    const undo = onInterrupt(() => {
      this.#engine.cancel(taskId).catch((error: unknown) => this.#session.print.note(`orchctl: ${String(error)}`));
    });
    try {
      for await (const read of this.#engine.execute({ taskId, message, thinking })) {
        view.show(read);
        if (read.event.event === "hitl_request") await this.#respond(read);
        if (read.event.event === "error") throw failureOf(read);
      }
    } finally {
      undo();
    }
  }

  async #respond({ event }: ReadEvent): Promise<void> {
    if (event.event !== "hitl_request") return;
    const { request_id: requestId, options, context } = event.data;
    const freeText = context["allow_free_text"] === true;
    const scripted = this.#answers.shift();
    if (scripted !== undefined) return this.#engine.answer(requestId, scripted);
    if (!process.stdin.isTTY) {
      this.#session.print.note(
        `orchctl: the turn waits for an answer to ${requestId}; give it with --answer, or POST /hitl/respond, or on a terminal`,
      );
      return;
    }
    for (;;) {
      const line = await this.#readLine(options.length > 0 ? `answer (1-${options.length}): ` : "answer: ");
      const answer = options[Number(line) - 1] ?? (options.includes(line) || freeText ? line : "");
      if (answer !== "") return this.#engine.answer(requestId, answer);
    }
  }

  #readLine(prompt: string): Promise<string> {
    this.#terminal ??= createInterface({ input: process.stdin, output: process.stderr });
    const ended = new Promise<string>((resolve) => this.#terminal?.once("close", () => resolve("")));
    return Promise.race([this.#terminal.question(prompt).then((line) => line.trim()), ended]);
  }
}

function failureOf({ event }: ReadEvent): CliFailure {
  if (event.event !== "error") return new CliFailure("unexpected", "the turn failed");
  const { error, message } = event.data;
  const exit = error === "LLM_RATE_LIMITED" ? "limited" : error === "CANCELLED" ? "interrupted" : "unavailable";
  return new CliFailure(exit, `the turn failed: ${message} (${error})`, error);
}
