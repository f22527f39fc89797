import type { EngineRecord } from "../../src/client/records.ts";
import { CliFailure } from "../exit-codes.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { confirm, destructive } from "../confirm.ts";

interface Options {
  readonly keepData: boolean;
  readonly yes: boolean;
  readonly dryRun: boolean;
}

export const engineDestroyCommand: CommandMaker = (engines, settings) => {
  destructive(engines.command("destroy <user>"))
    .description("Destroy an engine and its data")
    .option("--keep-data", "keep the data for the user's next engine", false)
    .option("--dry-run", "only print what would be destroyed", false)
    .addHelpText("after", example("orchctl engines destroy alice --keep-data"))
    .action(async (user: string, { keepData, yes, dryRun }: Options, command) => {
      const session = sessionOf(command, settings);
      const { client, credentials, print } = session;
      const context = { user, product: await client.product(), url: session.settings.url };
      const destroy = () =>
        client.platform((orchestrator) => orchestrator.destroy(user, { keepData }), {
          user,
          doing: `destroying the engine of ${user}`,
        });
      let engine: EngineRecord;
      try {
        engine = await client.platform((orchestrator) => orchestrator.get(user), { user });
      } catch (error) {
        if (keepData || dryRun || !isEngineNotFound(error)) throw withListAdvice(error);
        // An earlier destroy may have kept data. The daemon erases them, or responds with 404 if there are none.
        await confirm(`${safe(user)} has no engine. Erase the data that an earlier one left?`, { yes, context });
        const erased = await destroy().catch((refused: unknown) => {
          throw withListAdvice(refused);
        });
        return print.document(erased, () => `${safe(user)} has no engine; the kept data are erased`);
      }
      const { id, state, port, pid } = engine;
      const what = `the engine of ${safe(user)} (${id}, ${state}, port ${port ?? "none"}, pid ${pid ?? "none"})`;
      const data = keepData ? "keep its data" : "all its data";
      if (dryRun) {
        return print.document(
          { would_destroy: { id, user_id: engine.user_id, state, port, pid, data: !keepData } },
          () => `would destroy ${what} and ${data}`,
        );
      }
      await confirm(`Destroy ${what} and ${data}?`, { yes, context });
      const result = await destroy();
      await credentials.forgetEngine(id);
      const kept = keepData ? `; its data is kept for the next engine of ${safe(user)}` : "";
      print.document(result, () => `the engine of ${safe(user)} is destroyed${kept}`);
    });
};

const isEngineNotFound = (error: unknown): error is CliFailure =>
  error instanceof CliFailure && error.code === "ENGINE_NOT_FOUND";

/** Replaces the general advice to create a missing engine. */
function withListAdvice(error: unknown): unknown {
  if (!isEngineNotFound(error)) return error;
  return new CliFailure(error.exit, error.message, error.code, "orchctl engines list shows the product's engines");
}
