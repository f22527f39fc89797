import type { Command } from "commander";
import { CliFailure } from "../exit-codes.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example } from "../session.ts";

/** Commander's `help` supports only commands of one word. */
export const helpCommand: CommandMaker = (program) => {
  program
    .helpCommand(false)
    .command("help [command...]")
    .description("Show the help of a command")
    .addHelpText("after", example("orchctl help engines stop"))
    .action((words: readonly string[]) => {
      words.reduce(find, program).outputHelp();
    });
};

function find(command: Command, word: string): Command {
  const found = command.commands.find((child) => child.name() === word || child.aliases().includes(word));
  if (found !== undefined) return found;
  throw new CliFailure(
    "usage",
    `${command.name()} has no command ${safe(word)}`,
    null,
    "orchctl help lists the commands",
  );
}
