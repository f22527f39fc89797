import type { PendingRequest } from "../../src/client/records.ts";
import { parseAnswer } from "../answers.ts";
import { Conversation } from "../conversation.ts";
import { withEngine } from "../connect-engine.ts";
import { CliFailure } from "../exit-codes.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { Terminal } from "../terminal.ts";

export const questionsCommand: CommandMaker = (program, settings) => {
  program
    .command("questions <user>")
    .description("List the open questions of a user's engine")
    .addHelpText("after", example("orchctl questions alice"))
    .action(async (user: string, _options, command) => {
      const session = sessionOf(command, settings);
      const requests = await withEngine(session, user, (engine) => engine.pending());
      session.print.document({ requests }, () =>
        requests.length === 0 ? "no open questions" : requests.map(describe).join("\n\n"),
      );
    });
};

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

function answerTo(request: PendingRequest, text: string): string {
  const answer = parseAnswer(request, text);
  if (answer !== null) return answer;
  throw new CliFailure("usage", `expected one of the options, or its number:\n${options(request).join("\n")}`);
}

function describe(request: PendingRequest): string {
  const { request_id: id, question, task_id: task, created_at: since } = request;
  return [`${safe(id)}  task ${safe(task)}, since ${safe(since)}`, `  ${safe(question)}`, ...options(request)].join(
    "\n",
  );
}

const options = (request: PendingRequest): string[] =>
  request.options.map((option, index) => `  ${index + 1}. ${safe(option)}`);
