import { Option } from "commander";
import { ENGINE_STATES, type EngineState } from "../../src/contract/orchestrator-records.ts";
import { duration } from "../option-values.ts";
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

export const engineStopCommand: CommandMaker = (engines, settings) => {
  engines
    .command("stop <user>")
    .description("Stop an engine after its running turns have ended")
    .option("--drain <time>", "how long to wait for running turns", duration)
    .option("--force", "do not wait for running turns", false)
    .addHelpText("after", example("orchctl engines stop alice --drain 5s"))
    .action(async (user: string, { drain, force }: { drain?: number; force: boolean }, command) => {
      const { client, print } = sessionOf(command, settings);
      const options = { drainS: drain, ...(force && { force }) };
      const engine = await client.platform((orchestrator) => orchestrator.stop(user, options), { user });
      print.document(engine, () => `${safe(user)} is ${engine.state} (${engine.stop_result})`);
    });
};

export const engineWaitCommand: CommandMaker = (engines, settings) => {
  engines
    .command("wait <user>")
    .description("Wait until an engine is in a state")
    .addOption(new Option("--state <state>", "the state to wait for").choices(ENGINE_STATES).default("running"))
    .option("--timeout <time>", "the time limit", duration, 60)
    .addHelpText("after", example("orchctl engines wait alice --state running --timeout 30s"))
    .action(async (user: string, { state, timeout: timeoutS }: { state: EngineState; timeout: number }, command) => {
      const { client, print } = sessionOf(command, settings);
      const engine = await client.platform((orchestrator) => orchestrator.wait(user, { state, timeoutS }), { user });
      print.document(engine, () => `${safe(user)} is ${engine.state}`);
    });
};
