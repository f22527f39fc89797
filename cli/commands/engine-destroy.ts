import type { EngineRecord } from "../../src/contract/orchestrator-api.ts";
import { CliFailure } from "../exit-codes.ts";
import { enginePath } from "../http.ts";
import { ENGINE_DEADLINE_MS } from "../orchestrator-client.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { confirm } from "../terminal.ts";

interface Options {
  readonly keepData: boolean;
  readonly yes: boolean;
  readonly dryRun: boolean;
}

export const engineDestroyCommand: CommandMaker = (engines, settings) => {
  engines
    .command("destroy <user>")
    .description("Destroy an engine and its data")
    .option("--keep-data", "keep the data for the user's next engine", false)
    .option("-y, --yes", "do not ask; needed where there is no terminal", false)
    .option("--dry-run", "only say what would be destroyed", false)
    .addHelpText("after", example("orchctl engines destroy alice --keep-data"))
    .action(async (user: string, { keepData, yes, dryRun }: Options, command) => {
      const { client, credentials, print } = sessionOf(command, settings);
      const engine = await client.platform<EngineRecord>(enginePath(user)).catch((error: unknown) => {
        throw withoutEngine(error);
      });
      const { id, state, port, pid } = engine;
      const what = `the engine of ${safe(user)} (${id}, ${state}, port ${port}, pid ${pid ?? "none"})`;
      const data = keepData ? "keep its data" : "all its data";
      if (dryRun) {
        return print.document(
          { would_destroy: { id, user_id: engine.user_id, state, port, pid, data: !keepData } },
          () => `would destroy ${what} and ${data}`,
        );
      }
      await confirm(`Destroy ${what} and ${data}?`, { yes });
      const answer = await client.platform(`${enginePath(user)}?keep_data=${keepData}`, {
        method: "DELETE",
        deadlineMs: ENGINE_DEADLINE_MS,
      });
      await credentials.forgetEngine(id);
      print.document(answer, () => `the engine of ${safe(user)} is destroyed`);
    });
};

/** Who wants an engine gone does not want to create it. */
function withoutEngine(error: unknown): unknown {
  if (!(error instanceof CliFailure && error.code === "ENGINE_NOT_FOUND")) return error;
  return new CliFailure(error.exit, error.message, error.code, "orchctl engines list shows the product's engines");
}
