import type { EngineRecord } from "../../src/contract/orchestrator-api.ts";
import { enginePath } from "../http.ts";
import { ENGINE_DEADLINE_MS } from "../orchestrator-client.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

export const engineStartCommand: CommandMaker = (engines, settings) => {
  engines
    .command("start <user>")
    .description("Start a stopped engine")
    .addHelpText("after", example("orchctl engines start alice"))
    .action(async (user: string, _options, command) => {
      const { client, print } = sessionOf(command, settings);
      const engine = await client.platform<EngineRecord>(`${enginePath(user)}/start`, {
        method: "POST",
        body: {},
        deadlineMs: ENGINE_DEADLINE_MS,
      });
      print.document(engine, () => `${safe(user)} is ${engine.state} at ${engine.url}`);
    });
};
