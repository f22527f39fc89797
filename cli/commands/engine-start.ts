import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

export const engineStartCommand: CommandMaker = (engines, settings) => {
  engines
    .command("start <user>")
    .description("Start a stopped engine")
    .addHelpText("after", example("orchctl engines start alice"))
    .action(async (user: string, _options, command) => {
      const { client, print } = sessionOf(command, settings);
      const engine = await client.platform((orchestrator) => orchestrator.start(user), { user });
      print.document(engine, () => `${safe(user)} is ${engine.state} at ${engine.url}`);
    });
};
