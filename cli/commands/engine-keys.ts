import type { EngineWithKey } from "../../src/client/records.ts";
import { duration, jsonObject } from "../option-values.ts";
import { safe } from "../output.ts";
import { saveThenShow } from "../save-key.ts";
import { type CommandMaker, type Session, example, sessionOf } from "../session.ts";

interface CreationOptions {
  readonly start: boolean;
  readonly metadata?: string;
  readonly plan?: string;
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
      .option("--plan <plan>", "its plan; an engine that exists keeps its own")
      .option("--no-save", "do not save the key")
      .addHelpText("after", example(`orchctl engines ${verb} alice`))
      .action(async (user: string, { start, metadata: file, plan, save }: CreationOptions, command) => {
        const session = sessionOf(command, settings);
        const metadata = file === undefined ? undefined : await jsonObject("--metadata", file);
        const options = { userId: user, metadata, plan, ...(!start && { start }) };
        const engine = await session.client.platform((orchestrator) => orchestrator[verb](options), {
          user,
          doing: `${verb === "admit" ? "admitting" : "provisioning"} ${user}`,
        });
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

export const engineRotateKeyCommand: CommandMaker = (engines, settings) => {
  engines
    .command("rotate-key <user>")
    .description("Replace the key of a running or sleeping engine; open streams continue")
    .option("--grace <time>", "how long the old key stays valid", duration, 0)
    .option("--no-save", "do not save the new key")
    .addHelpText("after", example("orchctl engines rotate-key alice --grace 10m"))
    .action(async (user: string, { grace: graceS, save }: { grace: number; save: boolean }, command) => {
      const session = sessionOf(command, settings);
      const rotated = await session.client.platform((orchestrator) => orchestrator.rotateKey(user, { graceS }), {
        user,
      });
      await showEngineWithKey(session, rotated, { save });
    });
};

/** Prints an engine and its key, which is shown once, and saves the key for later commands. */
async function showEngineWithKey(
  { credentials, print }: Session,
  engine: EngineWithKey,
  { save }: { readonly save: boolean },
): Promise<void> {
  const { engine_api_key: key } = engine;
  const show = () =>
    print.document(engine, () =>
      [
        `${safe(engine.user_id)} is ${engine.state} at ${engine.url}`,
        ...(key === null ? [] : ["", "Engine key, shown only now:", `  ${key}`]),
      ].join("\n"),
    );
  if (key === null || !save) return show();
  await saveThenShow(() => credentials.saveEngineKey(engine, key), show);
  print.note(`Saved in ${credentials.path}.`);
}
