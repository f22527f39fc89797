import { enginePath } from "../http.ts";
import { duration } from "../option-values.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { type EngineWithKey, showEngineWithKey } from "../show-engine-key.ts";

interface Options {
  readonly grace: number;
  readonly save: boolean;
}

export const engineRotateKeyCommand: CommandMaker = (engines, settings) => {
  engines
    .command("rotate-key <user>")
    .description("Replace a running engine's key; open streams go on")
    .option("--grace <time>", "how long the old key still works", duration, 0)
    .option("--no-save", "do not keep the new key")
    .addHelpText("after", example("orchctl engines rotate-key alice --grace 10m"))
    .action(async (user: string, { grace, save }: Options, command) => {
      const session = sessionOf(command, settings);
      const body = { grace_s: grace };
      const path = `${enginePath(user)}/rotate-key`;
      const engine = await session.client.platform<EngineWithKey>(path, { method: "POST", body });
      await showEngineWithKey(session, engine, { save });
    });
};
