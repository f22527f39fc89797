import { wholeNumber } from "../option-values.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

interface Options {
  readonly tail: number;
  readonly follow: boolean;
}

export const logsCommand: CommandMaker = (program, settings) => {
  program
    .command("logs <user>")
    .description("Print an engine's log")
    .option("-n, --tail <lines>", "how many of the last lines", wholeNumber, 200)
    .option("-f, --follow", "continue with each new line", false)
    .addHelpText("after", example("orchctl logs alice -n 50 -f"))
    .action(async (user: string, { tail, follow }: Options, command) => {
      const { client, print } = sessionOf(command, settings);
      const show = (line: string) => (print.json ? print.record({ line }) : print.line(safe(line)));
      await client.platform(
        async (orchestrator) => {
          for await (const line of orchestrator.logs(user, { tail, follow })) show(line);
        },
        { user, doing: null },
      );
    });
};
