import { jsonObject } from "../option-values.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { showEngineWithKey } from "../show-engine-key.ts";

interface Options {
  readonly start: boolean;
  readonly metadata?: string;
  readonly save: boolean;
}

/** `provision` and `admit` differ only for an existing engine. */
const creationCommand =
  (verb: "provision" | "admit", description: string): CommandMaker =>
  (engines, settings) => {
    engines
      .command(`${verb} <user>`)
      .description(description)
      .option("--no-start", "do not start it")
      .option("--metadata <file>", "a JSON object to store with it; - is standard input")
      .option("--no-save", "do not save the key")
      .addHelpText("after", example(`orchctl engines ${verb} alice`))
      .action(async (user: string, { start, metadata: file, save }: Options, command) => {
        const session = sessionOf(command, settings);
        const metadata = file === undefined ? undefined : await jsonObject("--metadata", file);
        const options = { userId: user, metadata, ...(!start && { start }) };
        const engine = await session.client.platform((orchestrator) => orchestrator[verb](options), { user });
        await showEngineWithKey(session, engine, { save });
      });
  };

export const engineProvisionCommand = creationCommand(
  "provision",
  "Create the user's engine; its key is shown once and saved for later commands",
);
export const engineAdmitCommand = creationCommand(
  "admit",
  "The user's engine: created if there is none, started if it is stopped",
);
