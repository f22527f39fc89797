import { duration } from "../option-values.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

interface Options {
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
    .action(async (user: string, { drain, force }: Options, command) => {
      const { client, print } = sessionOf(command, settings);
      const options = { drainS: drain, ...(force && { force }) };
      const engine = await client.platform((orchestrator) => orchestrator.stop(user, options), { user });
      print.document(engine, () => `${safe(user)} is ${engine.state} (${engine.stop_result})`);
    });
};
