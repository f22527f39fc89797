import { CliFailure } from "../exit-codes.ts";
import { enginePath, isCut } from "../http.ts";
import { wholeNumber } from "../option-values.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { splitStream } from "../split-stream.ts";

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
      const lines = splitStream(
        await client.stream("platform", `${enginePath(user)}/logs?tail=${tail}&follow=${follow}`),
        "\n",
      );
      try {
        for await (const line of lines) print.line(print.json ? JSON.stringify({ line }) : safe(line));
      } catch (error) {
        if (!isCut(error)) throw error;
        throw new CliFailure("unavailable", `the connection was lost (${String(error.code)})`);
      }
    });
};
