import { withEngine } from "../engine-of.ts";
import { eraseMemory } from "../erase-memory.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { confirm } from "../terminal.ts";

export const memoryEraseCommand: CommandMaker = (memory, settings) => {
  memory
    .command("erase <user>")
    .description("Erase everything an engine remembers, its conversations too; its files and its catalog stay")
    .option("--cancel-turns", "cancel the turns that are in flight, open questions too", false)
    .option("-y, --yes", "do not ask; needed where there is no terminal", false)
    .addHelpText("after", example("orchctl memory erase alice"))
    .action(async (user: string, { yes, cancelTurns }: { yes: boolean; cancelTurns: boolean }, command) => {
      const session = sessionOf(command, settings);
      await confirm(`Erase everything the engine of ${safe(user)} remembers?`, { yes });
      const answer = await withEngine(session, user, (engine) => eraseMemory(engine, { user, cancelTurns }));
      const rows = Object.values(answer.erased).reduce((sum, count) => sum + count, 0);
      session.print.document(
        answer,
        () => `the engine of ${safe(user)} remembers nothing any more (${rows} rows and files)`,
      );
    });
};
