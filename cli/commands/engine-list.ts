import { Option } from "commander";
import { ENGINE_STATES, type EngineRecord } from "../../src/contract/orchestrator-api.ts";
import { table } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

const row = ({ user_id, state, port, pid, restarts, started_at, id }: EngineRecord) => [
  user_id,
  state,
  String(port),
  pid === null ? null : String(pid),
  String(restarts.count),
  started_at,
  id,
];

export const engineListCommand: CommandMaker = (engines, settings) => {
  engines
    .command("list")
    .description("List the product's engines")
    .addOption(new Option("--state <state>", "only those in this state").choices(ENGINE_STATES))
    .addHelpText("after", example("orchctl engines list --state running"))
    .action(async ({ state }: { state?: string }, command) => {
      const { client, print } = sessionOf(command, settings);
      const list = await client.all<EngineRecord>("platform", "/engines", state === undefined ? {} : { state });
      print.document(list, () =>
        table(["USER", "STATE", "PORT", "PID", "RESTARTS", "STARTED", "ID"], list.data.map(row)),
      );
    });
};
