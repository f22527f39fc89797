import { readLines } from "../../src/client/read-lines.ts";
import { cliFailure } from "../client-failure.ts";
import { CliFailure } from "../exit-codes.ts";
import { enginePath, isCut } from "../http.ts";
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
    .option("-f, --follow", "go on with each new line", false)
    .addHelpText("after", example("orchctl logs alice -n 50 -f"))
    .action(async (user: string, { tail, follow }: Options, command) => {
      const { client, print } = sessionOf(command, settings);
      const stream = await client.stream("platform", `${enginePath(user)}/logs?tail=${tail}&follow=${follow}`);
      try {
        for await (const line of readLines(stream, { ends: "lf" })) {
          if (print.json) print.record({ line });
          else print.line(safe(line));
        }
      } catch (thrown) {
        const error = cliFailure(thrown);
        if (!isCut(error)) throw error;
        throw new CliFailure("unavailable", `the connection was lost (${String(error.code)})`);
      }
    });
};
