import type { EngineRecord, StopResult } from "../../src/contract/orchestrator-api.ts";
import { enginePath } from "../http.ts";
import { duration } from "../option-values.ts";
import { ENGINE_DEADLINE_MS } from "../orchestrator-client.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

interface Options {
  readonly drain?: number;
  readonly force: boolean;
}

export const engineStopCommand: CommandMaker = (engines, settings) => {
  engines
    .command("stop <user>")
    .description("Stop an engine, once its running turns have ended")
    .option("--drain <time>", "how long to wait for them", duration)
    .option("--force", "do not wait", false)
    .addHelpText("after", example("orchctl engines stop alice --drain 5s"))
    .action(async (user: string, { drain, force }: Options, command) => {
      const { client, print } = sessionOf(command, settings);
      const body = { ...(drain !== undefined && { drain_s: drain }), ...(force && { force }) };
      const path = `${enginePath(user)}/stop`;
      const deadlineMs = ENGINE_DEADLINE_MS + (drain ?? 0) * 1000;
      const engine = await client.platform<EngineRecord & { stop_result: StopResult }>(path, {
        method: "POST",
        body,
        deadlineMs,
      });
      print.document(engine, () => `${safe(user)} is ${engine.state} (${engine.stop_result})`);
    });
};
