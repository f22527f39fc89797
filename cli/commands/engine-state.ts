import type { EngineState } from "../../src/client/records.ts";
import { Option } from "commander";
import { ENGINE_STATES } from "../../src/contract/orchestrator/records.ts";
import { duration } from "../option-values.ts";
import { safe } from "../output.ts";
import { type CommandMaker, type Session, example, sessionOf } from "../session.ts";

const startingCommand =
  (verb: "start" | "wake", description: string): CommandMaker =>
  (engines, settings) => {
    engines
      .command(`${verb} <user>`)
      .description(description)
      .addHelpText("after", example(`orchctl engines ${verb} alice`))
      .action(async (user: string, _options, command) => {
        const session = sessionOf(command, settings);
        const engine = await startEngine(session, user);
        session.print.document(engine, () => `${safe(user)} is ${engine.state} at ${engine.url}`);
      });
  };

export const engineStartCommand = startingCommand("start", "Start a stopped engine, or wake one that sleeps");
export const engineWakeCommand = startingCommand("wake", "Wake an engine that sleeps: another name of start");

export const startEngine = ({ client }: Session, user: string) =>
  client.platform((orchestrator) => orchestrator.start(user), { user, doing: `starting ${user}` });

export const engineSleepCommand: CommandMaker = (engines, settings) => {
  engines
    .command("sleep <user>")
    .description("Put an engine without work to sleep; its next call wakes it")
    .addHelpText("after", example("orchctl engines sleep alice"))
    .action(async (user: string, _options, command) => {
      const { client, print } = sessionOf(command, settings);
      const engine = await client.platform((orchestrator) => orchestrator.sleep(user), { user });
      print.document(engine, () => `${safe(user)} is ${engine.state}; a call to ${engine.url} wakes it`);
    });
};

interface StopOptions {
  readonly drain?: number;
  readonly force: boolean;
}

export const engineStopCommand: CommandMaker = (engines, settings) => {
  engines
    .command("stop <user>")
    .description("Stop an engine after its running turns have ended")
    .option("--drain <time>", "how long to wait for running turns", duration)
    .option("--force", "do not wait for running turns", false)
    .addHelpText("after", example("orchctl engines stop alice --drain 5s"))
    .action(async (user: string, options: StopOptions, command) => {
      const session = sessionOf(command, settings);
      const engine = await stopEngine(session, user, options);
      session.print.document(engine, () => `${safe(user)} is ${engine.state} (${engine.stop_result})`);
    });
};

export const stopEngine = ({ client }: Session, user: string, { drain, force }: StopOptions) =>
  client.platform((orchestrator) => orchestrator.stop(user, { drainS: drain, ...(force && { force }) }), {
    user,
    doing: force ? `stopping ${user}` : `stopping ${user} after its running turns`,
  });

export const engineWaitCommand: CommandMaker = (engines, settings) => {
  engines
    .command("wait <user>")
    .description("Wait until an engine is in a state")
    .addOption(new Option("--state <state>", "the state to wait for").choices(ENGINE_STATES).default("running"))
    .option("--timeout <time>", "the time limit", duration, 60)
    .addHelpText("after", example("orchctl engines wait alice --state running --timeout 30s"))
    .action(async (user: string, { state, timeout: timeoutS }: { state: EngineState; timeout: number }, command) => {
      const { client, print } = sessionOf(command, settings);
      const engine = await client.platform((orchestrator) => orchestrator.wait(user, { state, timeoutS }), {
        user,
        doing: `waiting until ${user} is ${state}`,
      });
      print.document(engine, () => `${safe(user)} is ${engine.state}`);
    });
};
