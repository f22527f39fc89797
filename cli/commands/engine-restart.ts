import { CliFailure } from "../exit-codes.ts";
import { duration, wholeNumber } from "../option-values.ts";
import { safe } from "../output.ts";
import { type Fleet, type RolloutProgress, rollOut } from "../rollout/roll-out.ts";
import { type CommandMaker, type Session, example, sessionOf } from "../session.ts";
import { startEngine, stopEngine } from "./engine-state.ts";

interface Options {
  readonly drain?: number;
  readonly force: boolean;
  readonly outdated: boolean;
  readonly parallel: number;
  readonly watch: number;
}

export const engineRestartCommand: CommandMaker = (engines, settings) => {
  engines
    .command("restart [user]")
    .description("Stop an engine after its running turns have ended, and start it again; or roll out a new version")
    .option("--drain <time>", "how long to wait for running turns", duration)
    .option("--force", "do not wait for running turns", false)
    .option("--outdated", "every running engine of another version than the daemon's, with the admin key", false)
    .option("--parallel <count>", "with --outdated: how many restart at the same time", wholeNumber, 4)
    .option("--watch <time>", "with --outdated: how long each batch runs before it is judged", duration, 10)
    .addHelpText("after", example("orchctl engines restart alice --drain 5s"))
    .action(async (user: string | undefined, options: Options, command) => {
      const session = sessionOf(command, settings);
      if (options.outdated === (user !== undefined)) {
        throw new CliFailure("usage", "expected either a user or --outdated");
      }
      await (user === undefined ? restartOutdated(session, options) : restartOne(session, user, options));
    });
};

async function restartOne(session: Session, user: string, options: Options): Promise<void> {
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
}

/** Error codes that concern one engine, whose state then shows the outcome. */
const ABOUT_ONE: readonly (string | null)[] = [
  "BACKEND_ERROR",
  "BOOT_TIMEOUT",
  "ENGINE_NOT_FOUND",
  "ENGINE_NOT_RUNNING",
  "OPERATION_IN_PROGRESS",
];

async function restartOutdated({ client, print }: Session, { drain, force, parallel, watch }: Options): Promise<void> {
  const drainS = force ? 0 : drain;
  const fleet: Fleet = {
    version: async () => (await client.open((daemon) => daemon.health())).version,
    list: () => client.admin((admin) => Array.fromAsync(admin.listEngines())),
    async restart(id) {
      await client
        .admin((admin) => admin.restartEngine(id, { drainS }))
        .catch((error: unknown) => {
          if (!(error instanceof CliFailure && ABOUT_ONE.includes(error.code))) throw error;
        });
    },
  };
  const report = (progress: RolloutProgress) =>
    print.json ? print.record(progress) : print.line(describeProgress(progress));
  const { total, version } = await rollOut(fleet, { parallel: Math.max(1, parallel), watchMs: watch * 1000, report });
  if (total === 0 && !print.json) print.line(`Every running engine has ${version}.`);
}

function describeProgress({ version, restarted, total, failures }: RolloutProgress): string {
  const failed = failures.new.failed === 0 ? "none failed" : `${failures.new.failed} failed`;
  return `${restarted} of ${total} engines restarted as ${version}, ${failed}`;
}
