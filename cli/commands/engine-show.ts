import { describeEngine } from "../describe-engine.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

export const engineShowCommand: CommandMaker = (engines, settings) => {
  engines
    .command("show <user>")
    .description("Show an engine and its last error")
    .addHelpText("after", example("orchctl engines show alice"))
    .action(async (user: string, _options, command) => {
      const { client, print } = sessionOf(command, settings);
      const engine = await client.platform((orchestrator) => orchestrator.get(user), { user });
      print.document(engine, () => describeEngine(engine));
    });
};
