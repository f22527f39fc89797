import { randomBytes } from "node:crypto";
import { text } from "node:stream/consumers";
import { Option } from "commander";
import { type EngineClient, createEngineClient } from "../../src/client/engine-client.ts";
import type { EngineRecord } from "../../src/contract/orchestrator-api.ts";
import { Chat } from "../chat.ts";
import { cliFailure } from "../client-failure.ts";
import { CliFailure } from "../exit-codes.ts";
import { enginePath } from "../http.ts";
import { gathered } from "../option-values.ts";
import { safe } from "../output.ts";
import { promptSecret } from "../secret-input.ts";
import { type CommandMaker, type Session, example, sessionOf } from "../session.ts";
import { Terminal } from "../terminal.ts";

const EXAMPLE_MESSAGE = "What can you do?";

interface Options {
  readonly task?: string;
  readonly thinking: boolean;
  readonly answer?: readonly string[];
  readonly auto?: "first";
}

export const chatCommand: CommandMaker = (program, settings) => {
  program
    .command("chat <user> [message...]")
    .description("Talk to a user's engine: one message, standard input, or on a terminal a conversation")
    .option("--task <id>", "the conversation to go on with; a new one when left out")
    .option("--no-thinking", "do not ask the model to think first")
    .option("--answer <text>", "answer a question with this, an option's words or number; one for each", gathered)
    .addOption(
      new Option("--auto <rule>", "answer questions by a rule: first takes the first option").choices(["first"]),
    )
    .addHelpText("after", example(`orchctl chat alice "${EXAMPLE_MESSAGE}"`))
    .action(async (user: string, words: string[], options: Options, command) => {
      const session = sessionOf(command, settings);
      const engine = await engineOf(session, user);
      const taskId = options.task ?? newTaskId();
      const terminal = process.stdin.isTTY ? new Terminal() : null;
      const answers = { scripted: [...(options.answer ?? [])], auto: options.auto === "first", terminal };
      const chat = new Chat({ engine, print: session.print, taskId, thinking: options.thinking, answers });
      if (words.length === 0 && terminal !== null) return chat.converse();
      const message = words.length > 0 ? words.join(" ") : await readMessage(session);
      if (options.task === undefined) session.print.note(`Task ${taskId}.`);
      await chat.turn(message);
    });
};

async function engineOf({ client, credentials, settings }: Session, user: string): Promise<EngineClient> {
  const record = await client.platform<EngineRecord>(enginePath(user));
  if (!record.running) {
    throw new CliFailure("conflict", `the engine is ${record.state}; orchctl engines start ${safe(user)} starts it`);
  }
  const kept = settings.engineKey ?? (await credentials.engineKey(record.id));
  const key = kept ?? (await promptSecret(`Engine key of ${safe(user)}: `));
  if (key !== null) return connect(record.url, key);
  const way = `orchctl engines rotate-key ${safe(user)} makes a new one`;
  throw new CliFailure("denied", `no key of this engine is kept: set ORCH_ENGINE_KEY, or ${way}`);
}

/** A person is told at once that another turn is running, and need not wait for it. */
function connect(url: string, key: string): EngineClient {
  try {
    return createEngineClient({ url, key, limits: { retryBusy: false } });
  } catch (error) {
    throw cliFailure(error);
  }
}

/** Who gives no message at all is shown what one does. */
async function readMessage({ print }: Session): Promise<string> {
  const message = (await text(process.stdin)).trim();
  if (message !== "") return message;
  print.note(`No message was given; asking: ${EXAMPLE_MESSAGE}`);
  return EXAMPLE_MESSAGE;
}

/** `chat-20261121-0615-x7k2q`: to be read, and typed again. */
function newTaskId(): string {
  const [date = "", time = ""] = new Date().toISOString().replaceAll(/[-:]/g, "").split("T");
  return `chat-${date}-${time.slice(0, 4)}-${randomBytes(3).toString("hex")}`;
}
