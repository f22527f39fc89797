import { withEngine } from "../connect-engine.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

export const memoryEndCommand: CommandMaker = (memory, settings) => {
  memory
    .command("end <user> <fact>")
    .description("End a fact that is true no longer; it stays as past")
    .addHelpText("after", example("orchctl memory end alice kn_0198c1b2-…"))
    .action(async (user: string, id: string, _options: unknown, command) => {
      const session = sessionOf(command, settings);
      const ended = await withEngine(session, user, (engine) => engine.endFact(id));
      session.print.document(ended, () => `${safe(ended.id)} has ended`);
    });
};
