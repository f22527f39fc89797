import { Option } from "commander";
import { ENGINE_STATES, type EngineRecord } from "../../src/contract/orchestrator-api.ts";
import { enginePath } from "../http.ts";
import { duration } from "../option-values.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

interface Options {
  readonly state: string;
  readonly timeout: number;
}

export const engineWaitCommand: CommandMaker = (engines, settings) => {
  engines
    .command("wait <user>")
    .description("Wait until an engine is in a state")
    .addOption(new Option("--state <state>", "the state to wait for").choices(ENGINE_STATES).default("running"))
    .option("--timeout <time>", "how long", duration, 60)
    .addHelpText("after", example("orchctl engines wait alice --state running --timeout 30s"))
    .action(async (user: string, { state, timeout }: Options, command) => {
      const { client, print } = sessionOf(command, settings);
      const query = `state=${state}&timeout_s=${timeout}`;
      const engine = await client.platform<EngineRecord>(`${enginePath(user)}/wait?${query}`, {
        deadlineMs: timeout * 1000 + 30_000,
      });
      print.document(engine, () => `${safe(user)} is ${engine.state}`);
    });
};
