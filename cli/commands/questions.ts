import type { PendingRequest, QuestionRecord } from "../../src/client/records.ts";
import { parseAnswer } from "../answers.ts";
import { Conversation } from "../conversation.ts";
import { withEngine } from "../connect-engine.ts";
import { CliFailure } from "../exit-codes.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { Terminal } from "../terminal.ts";

type Asked = Pick<PendingRequest, "options" | "context">;

interface ListOptions {
  readonly all: boolean;
}

const listCommand: CommandMaker = (group, settings) => {
  group
    .command("list [user]", { isDefault: true })
    .alias("ls")
    .description("List the open questions of every user of the product, or of one, without waking their engines")
    .option("--all", "those of every product, with the admin key; --product limits it to one", false)
    .addHelpText("after", example("orchctl questions list alice"))
    .action(async (userId: string | undefined, { all }: ListOptions, command) => {
      const { client, print } = sessionOf(command, settings);
      const productId = all ? await client.wantedProductId() : undefined;
      const data = all
        ? await client.admin((admin) => Array.fromAsync(admin.listQuestions({ userId, productId })))
        : await client.platform((orchestrator) => Array.fromAsync(orchestrator.listQuestions({ userId })));
      print.document({ data, next_cursor: null }, () =>
        data.length === 0 ? "no open questions" : data.map(describe).join("\n\n"),
      );
    });
};

/** The daemon passes the answer on, so that no key of the engine is needed. */
const answerOfUserCommand: CommandMaker = (group, settings) => {
  group
    .command("answer <user> <request_id> <answer...>")
    .description("Answer an open question: an option's text or number, or free text if the question allows it")
    .addHelpText("after", example("orchctl questions answer alice hitl-0198c1b2-… allow_once"))
    .action(async (userId: string, id: string, words: string[], _options, command) => {
      const { client, print } = sessionOf(command, settings);
      const answer = await client.platform(
        async (orchestrator) => {
          const open = await Array.fromAsync(orchestrator.listQuestions({ userId }));
          const asked = open.find(({ request_id }) => request_id === id);
          // One that a list does not have may be open too: the engine decides.
          const chosen = asked === undefined ? words.join(" ") : answerTo(asked, words.join(" "));
          await orchestrator.answerQuestion(userId, id, { answer: chosen });
          return chosen;
        },
        { user: userId },
      );
      print.document({ request_id: id, answer }, () => `answered ${safe(id)}: ${safe(answer)}`);
    });
};

export const QUESTION_COMMANDS: readonly CommandMaker[] = [listCommand, answerOfUserCommand];

export const answerCommand: CommandMaker = (program, settings) => {
  program
    .command("answer <user> <request_id> <answer...>")
    .description("Answer an open question: an option's text or number, or free text if the question allows it")
    .option("-f, --follow", "show the rest of the turn", false)
    .addHelpText("after", example("orchctl answer alice hitl_0198c1b2-… 1 --follow"))
    .action(async (user: string, id: string, words: string[], { follow }: { follow: boolean }, command) => {
      const session = sessionOf(command, settings);
      const { print } = session;
      const { engine, context, answer, request } = await withEngine(session, user, async (engine, context) => {
        const open = (await engine.pending()).find(({ request_id }) => request_id === id);
        if (open === undefined) throw notOpen(user, id);
        const chosen = answerTo(open, words.join(" "));
        await engine.respond(id, chosen);
        return { engine, context, answer: chosen, request: open };
      });
      print.document({ request_id: id, answer }, () => `answered ${safe(id)}: ${safe(answer)}`);
      if (!follow) return;
      const terminal = process.stdin.isTTY ? new Terminal() : null;
      const answers = { scripted: [], auto: false, terminal };
      const conversation = new Conversation({
        engine,
        print,
        context,
        taskId: request.task_id,
        timeoutS: null,
        answers,
      });
      await conversation.rest({ turnId: request.turn_id, requestId: id });
    });
};

function notOpen(user: string, id: string): CliFailure {
  const message = `no open question has the ID ${safe(id)}: it was answered, its turn has ended, or the ID is wrong`;
  return new CliFailure("notFound", message, "HITL_NOT_FOUND", `orchctl questions ${safe(user)} lists the open ones`);
}

function answerTo(request: Asked, text: string): string {
  const answer = parseAnswer(request, text);
  if (answer !== null) return answer;
  throw new CliFailure("usage", `expected one of the options, or its number:\n${options(request).join("\n")}`);
}

function describe(question: QuestionRecord): string {
  const { request_id: id, question: text, user_id: user, task_id: task, created_at: since } = question;
  return [
    `${safe(id)}  ${safe(user)}, task ${safe(task)}, since ${safe(since)}`,
    `  ${safe(text)}`,
    ...options(question),
  ].join("\n");
}

const options = (request: Asked): string[] => request.options.map((option, index) => `  ${index + 1}. ${safe(option)}`);
