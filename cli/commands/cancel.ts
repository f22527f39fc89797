import { withEngine } from "../connect-engine.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

export const cancelCommand: CommandMaker = (program, settings) => {
  program
    .command("cancel <user> <task>")
    .description("Cancel the running turn of a task, also one that waits for an answer")
    .addHelpText("after", example("orchctl cancel alice chat-20261121-0615-7f3a9c"))
    .action(async (user: string, task: string, _options, command) => {
      const session = sessionOf(command, settings);
      const cancelled = await withEngine(session, user, (engine) => engine.cancel(task));
      session.print.document({ cancelled }, () =>
        cancelled ? `the turn of task ${safe(task)} is cancelled` : `task ${safe(task)} has no running turn`,
      );
    });
};
