import { duration } from "../option-values.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { showEngineWithKey } from "../show-engine-key.ts";

interface Options {
  readonly grace: number;
  readonly save: boolean;
}

export const engineRotateKeyCommand: CommandMaker = (engines, settings) => {
  engines
    .command("rotate-key <user>")
    .description("Replace a running engine's key; open streams continue")
    .option("--grace <time>", "how long the old key stays valid", duration, 0)
    .option("--no-save", "do not save the new key")
    .addHelpText("after", example("orchctl engines rotate-key alice --grace 10m"))
    .action(async (user: string, { grace: graceS, save }: Options, command) => {
      const session = sessionOf(command, settings);
      const engine = await session.client.platform((orchestrator) => orchestrator.rotateKey(user, { graceS }), {
        user,
      });
      await showEngineWithKey(session, engine, { save });
    });
};
