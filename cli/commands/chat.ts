import { randomBytes } from "node:crypto";
import { Option } from "commander";
import { Chat } from "../chat.ts";
import { engineOf } from "../engine-of.ts";
import { duration, gathered } from "../option-values.ts";
import { readInput } from "../secret-input.ts";
import { type CommandMaker, type Session, example, sessionOf } from "../session.ts";
import { Terminal } from "../terminal.ts";

const EXAMPLE_MESSAGE = "What can you do?";

interface Options {
  readonly task?: string;
  readonly thinking: boolean;
  readonly answer?: readonly string[];
  readonly auto?: "first";
  readonly agent?: string;
  readonly timeout?: number;
}

export const chatCommand: CommandMaker = (program, settings) => {
  program
    .command("chat <user> [message...]")
    .description("Talk to a user's engine: one message, standard input, or on a terminal a conversation")
    .option("--task <id>", "the conversation to go on with; a new one when left out")
    .option("--agent <name>", "the catalog's agent to talk to; the default one when left out")
    .option("--timeout <time>", "how long a turn may take; one that takes longer is cancelled", duration)
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
      const { agent, thinking, timeout = null } = options;
      const answers = { scripted: [...(options.answer ?? [])], auto: options.auto === "first", terminal };
      const chat = new Chat({
        engine,
        print: session.print,
        user,
        taskId,
        thinking,
        agent,
        timeoutS: timeout,
        answers,
      });
      if (words.length === 0 && terminal !== null) return chat.converse();
      const message = words.length > 0 ? words.join(" ") : await readMessage(session);
      if (options.task === undefined) session.print.note(`Task ${taskId}.`);
      await chat.turn(message);
    });
};

/** Who gives no message at all is shown what one does. */
async function readMessage({ print }: Session): Promise<string> {
  const message = (await readInput("-")).trim();
  if (message !== "") return message;
  print.note(`No message was given; asking: ${EXAMPLE_MESSAGE}`);
  return EXAMPLE_MESSAGE;
}

/** `chat-20261121-0615-x7k2q`: to be read, and typed again. */
function newTaskId(): string {
  const [date = "", time = ""] = new Date().toISOString().replaceAll(/[-:]/g, "").split("T");
  return `chat-${date}-${time.slice(0, 4)}-${randomBytes(3).toString("hex")}`;
}
