import type { EngineRecord } from "../../src/contract/orchestrator-api.ts";
import { describeEngine } from "../describe-engine.ts";
import { enginePath } from "../http.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

export const engineShowCommand: CommandMaker = (engines, settings) => {
  engines
    .command("show <user>")
    .description("Show an engine, with what went wrong last")
    .addHelpText("after", example("orchctl engines show alice"))
    .action(async (user: string, _options, command) => {
      const { client, print } = sessionOf(command, settings);
      const engine = await client.platform<EngineRecord>(enginePath(user));
      print.document(engine, () => describeEngine(engine));
    });
};
