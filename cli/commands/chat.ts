import { randomBytes } from "node:crypto";
import { Option } from "commander";
import { attachFile, messageWith } from "../attachments.ts";
import { EFFORTS, type Effort } from "../../src/contract/engine/model-choice.ts";
import type { EngineClient } from "../../src/client/engine-client.ts";
import { Conversation } from "../conversation.ts";
import { CliFailure } from "../exit-codes.ts";
import { safe } from "../output.ts";
import { connectEngine } from "../connect-engine.ts";
import { duration, collected } from "../option-values.ts";
import { readInput } from "../secret-input.ts";
import { type CommandMaker, type Session, example, sessionOf } from "../session.ts";
import { Terminal } from "../terminal.ts";

const EXAMPLE_MESSAGE = "What can you do?";

interface Options {
  readonly task?: string;
  readonly continue: boolean;
  readonly thinking: boolean;
  readonly answer?: readonly string[];
  readonly auto?: "first";
  readonly agent?: string;
  readonly model?: string;
  readonly effort?: Effort;
  readonly timeout?: number;
  readonly attach?: readonly string[];
}

export const chatCommand: CommandMaker = (program, settings) => {
  program
    .command("chat <user> [message...]")
    .description("Talk to a user's engine: one message, standard input, or a conversation on a terminal")
    .option("--task <id>", "the conversation to continue; a new one by default")
    .option("-c, --continue", "continue the conversation with the latest activity", false)
    .option("--agent <name>", "the catalog's agent to talk to")
    .option("--model <name>", "the model that answers: a name, provider:name, or main, planner or light")
    .addOption(new Option("--effort <level>", "how much the model reasons").choices(EFFORTS))
    .option("--timeout <time>", "the time limit of a turn; a longer one is cancelled", duration)
    .option("--attach <file>", "a file for the message, such as an image or a PDF; repeat it for more files", collected)
    .option("--no-thinking", "do not ask the model to think first")
    .option(
      "--answer <text>",
      "the answer to a question: an option's text or number; repeat it for more questions",
      collected,
    )
    .addOption(
      new Option("--auto <rule>", "answer questions by a rule: first selects the first option").choices(["first"]),
    )
    .addHelpText("after", example(`orchctl chat alice "${EXAMPLE_MESSAGE}"`))
    .action(async (user: string, words: string[], options: Options, command) => {
      const session = sessionOf(command, settings);
      await using connected = await connectEngine(session, user);
      const { engine, context } = connected;
      const taskId = options.task ?? (options.continue ? await latestTask(engine, user) : newTaskId());
      const terminal = process.stdin.isTTY ? new Terminal() : null;
      const { agent, model, effort, thinking, timeout = null } = options;
      const answers = { scripted: [...(options.answer ?? [])], auto: options.auto === "first", terminal };
      const conversation = new Conversation({
        engine,
        print: session.print,
        context,
        taskId,
        asked: { thinking, agent, model, effort },
        timeoutS: timeout,
        answers,
      });
      const attachments = await Promise.all((options.attach ?? []).map(attachFile));
      if (words.length === 0 && terminal !== null && attachments.length === 0) return await conversation.converse();
      const text = words.length > 0 ? words.join(" ") : await readText(session, attachments.length > 0);
      if (options.task === undefined) session.print.note(`Task ${taskId}.`);
      await conversation.turn(messageWith(text, attachments));
    });
};

async function latestTask(engine: EngineClient, user: string): Promise<string> {
  const [latest] = (await engine.listTasks({ limit: 1 })).items;
  if (latest !== undefined) return latest.task_id;
  throw new CliFailure("notFound", `${safe(user)} has no conversation to continue`, null, "leave out --continue");
}

/** Without any message, an example is sent. Attachments are a message without text. */
async function readText({ print }: Session, hasAttachments: boolean): Promise<string> {
  if (hasAttachments && process.stdin.isTTY) return "";
  const message = (await readInput("-")).trim();
  if (message !== "" || hasAttachments) return message;
  print.note(`No message given; sending: ${EXAMPLE_MESSAGE}`);
  return EXAMPLE_MESSAGE;
}

/** `chat-20261121-0615-7f3a9c`: easy to read and to type. */
function newTaskId(): string {
  const [date = "", time = ""] = new Date().toISOString().replaceAll(/[-:]/g, "").split("T");
  return `chat-${date}-${time.slice(0, 4)}-${randomBytes(3).toString("hex")}`;
}
