import { jsonObject } from "../option-values.ts";
import { ENGINE_DEADLINE_MS } from "../orchestrator-client.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { type EngineWithKey, showEngineWithKey } from "../show-engine-key.ts";

interface Options {
  readonly start: boolean;
  readonly metadata?: string;
  readonly save: boolean;
}

/** `provision` and `admit`, which differ in what they do when there is an engine. */
const bringing =
  (verb: "provision" | "admit", description: string): CommandMaker =>
  (engines, settings) => {
    engines
      .command(`${verb} <user>`)
      .description(description)
      .option("--no-start", "do not start it")
      .option("--metadata <file>", "a JSON object to keep with it; - is standard input")
      .option("--no-save", "do not keep the key")
      .addHelpText("after", example(`orchctl engines ${verb} alice`))
      .action(async (user: string, { start, metadata, save }: Options, command) => {
        const session = sessionOf(command, settings);
        const body = {
          user_id: user,
          ...(metadata !== undefined && { metadata: await jsonObject("--metadata", metadata) }),
          ...(!start && { start }),
        };
        const engine = await session.client.platform<EngineWithKey>(`/engines/${verb}`, {
          method: "POST",
          body,
          deadlineMs: ENGINE_DEADLINE_MS,
        });
        await showEngineWithKey(session, engine, { save });
      });
  };

export const engineProvisionCommand = bringing(
  "provision",
  "Create the user's engine; its key is shown once and kept for the next commands",
);
export const engineAdmitCommand = bringing(
  "admit",
  "The user's engine: created if there is none, started if it is stopped",
);
