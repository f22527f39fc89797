import { Option } from "commander";
import { ENGINE_STATES, type EngineState } from "../../src/contract/orchestrator-records.ts";
import { duration } from "../option-values.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

interface Options {
  readonly state: EngineState;
  readonly timeout: number;
}

export const engineWaitCommand: CommandMaker = (engines, settings) => {
  engines
    .command("wait <user>")
    .description("Wait until an engine is in a state")
    .addOption(new Option("--state <state>", "the state to wait for").choices(ENGINE_STATES).default("running"))
    .option("--timeout <time>", "the time limit", duration, 60)
    .addHelpText("after", example("orchctl engines wait alice --state running --timeout 30s"))
    .action(async (user: string, { state, timeout: timeoutS }: Options, command) => {
      const { client, print } = sessionOf(command, settings);
      const engine = await client.platform((orchestrator) => orchestrator.wait(user, { state, timeoutS }), { user });
      print.document(engine, () => `${safe(user)} is ${engine.state}`);
    });
};
