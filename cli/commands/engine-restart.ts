import { CliFailure } from "../exit-codes.ts";
import { duration } from "../option-values.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { startEngine, stopEngine } from "./engine-state.ts";

interface Options {
  readonly drain?: number;
  readonly force: boolean;
}

export const engineRestartCommand: CommandMaker = (engines, settings) => {
  engines
    .command("restart <user>")
    .description("Stop an engine after its running turns have ended, and start it again")
    .option("--drain <time>", "how long to wait for running turns", duration)
    .option("--force", "do not wait for running turns", false)
    .addHelpText("after", example("orchctl engines restart alice --drain 5s"))
    .action(async (user: string, options: Options, command) => {
      const session = sessionOf(command, settings);
      // A stopped engine is started, as by systemctl restart.
      const stopped = await stopEngine(session, user, options).catch((error: unknown) => {
        if (error instanceof CliFailure && error.code === "ENGINE_NOT_RUNNING") return null;
        throw error;
      });
      const engine = await startEngine(session, user).catch((error: unknown) => {
        if (stopped === null || !(error instanceof CliFailure)) throw error;
        const message = `the engine is stopped, and did not start: ${error.message}`;
        throw new CliFailure(error.exit, message, error.code, `orchctl engines show ${safe(user)} shows why`);
      });
      const was = stopped === null ? "it was not running" : stopped.stop_result;
      const document = { ...engine, stop_result: stopped?.stop_result ?? null };
      session.print.document(document, () => `${safe(user)} is ${engine.state} at ${engine.url} (${was})`);
    });
};
