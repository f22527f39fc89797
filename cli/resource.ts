import type { RunRecord } from "../src/client/records.ts";
import type { OrchestratorClient } from "../src/client/orchestrator-client.ts";
import { type Destructive, confirm, destructive } from "./confirm.ts";
import { CliFailure } from "./exit-codes.ts";
import { safe } from "./output.ts";
import { type CommandMaker, example, sessionOf } from "./session.ts";
import { fields, table } from "./table.ts";
import { ago } from "./times.ts";

/** The number of runs shown with a schedule or webhook. */
const SHOWN_RUNS = 10;

interface Named {
  readonly id: string;
  readonly name: string;
}

/** The client's calls of one kind of resource. */
interface Calls<Item> {
  list(user: string): AsyncIterable<Item>;
  runs(user: string, id: string): AsyncIterable<RunRecord>;
  change(user: string, id: string, patch: { readonly enabled: boolean }): Promise<Item>;
  delete(user: string, id: string): Promise<object>;
}

interface Resource<Item extends Named> {
  readonly kind: "schedule" | "webhook";
  /** The name in the examples. */
  readonly example: string;
  readonly calls: (client: OrchestratorClient) => Calls<Item>;
  /** Of the list: titles with their cells. */
  readonly columns: Readonly<Record<string, (item: Item) => string | null>>;
  /** Of one: names with their values. */
  readonly fields: (item: Item, daemonUrl: string) => readonly (readonly [string, string | null])[];
  readonly descriptions: Readonly<Record<"list" | "show" | "pause" | "resume" | "delete", string>>;
  /** What a pause or its end is answered by. */
  readonly switched: (item: Item, name: string, verb: "pause" | "resume") => string;
}

/** The commands that schedules and webhooks share, and how a further command finds one by its name. */
export function resource<Item extends Named>({ kind, calls, columns, descriptions, ...of }: Resource<Item>) {
  /** People type a name, programs an id. */
  const find = async (client: OrchestratorClient, user: string, name: string): Promise<Item> => {
    for await (const one of calls(client).list(user)) if (one.name === name || one.id === name) return one;
    const advice = `orchctl ${kind}s list ${safe(user)}`;
    const message = `${safe(user)} has no ${kind} ${safe(name)}`;
    throw new CliFailure("notFound", message, `${kind.toUpperCase()}_NOT_FOUND`, advice);
  };

  const list: CommandMaker = (group, settings) => {
    group
      .command("list <user>")
      .alias("ls")
      .description(descriptions.list)
      .addHelpText("after", example(`orchctl ${kind}s list alice`))
      .action(async (user: string, _options, command) => {
        const { client, print } = sessionOf(command, settings);
        const data = await client.platform((orchestrator) => Array.fromAsync(calls(orchestrator).list(user)), { user });
        const rows = data.map((item) => Object.values(columns).map((cell) => cell(item)));
        print.document({ data, next_cursor: null }, (wide) => table(Object.keys(columns), rows, wide));
      });
  };

  const show: CommandMaker = (group, settings) => {
    group
      .command("show <user> <name>")
      .description(descriptions.show)
      .addHelpText("after", example(`orchctl ${kind}s show alice ${of.example}`))
      .action(async (user: string, name: string, _options, command) => {
        const { client, print, settings: found } = sessionOf(command, settings);
        const { item, runs } = await client.platform(
          async (orchestrator) => {
            const item = await find(orchestrator, user, name);
            return { item, runs: await firstRuns(calls(orchestrator).runs(user, item.id)) };
          },
          { user },
        );
        print.document({ ...item, runs }, (wide) =>
          [fields(of.fields(item, found.url), wide), "", runTable(runs, wide)].join("\n"),
        );
      });
  };

  /** A command on one resource, without an option. */
  const one =
    <Result extends object>(
      { verb, description }: { readonly verb: string; readonly description: string },
      run: (client: OrchestratorClient, user: string, id: string) => Promise<Result>,
      text: (result: Result, user: string, name: string) => string,
    ): CommandMaker =>
    (group, settings) => {
      group
        .command(`${verb} <user> <name>`)
        .description(description)
        .addHelpText("after", example(`orchctl ${kind}s ${verb} alice ${of.example}`))
        .action(async (user: string, name: string, _options, self) => {
          const { client, print } = sessionOf(self, settings);
          const result = await client.platform(
            async (orchestrator) => run(orchestrator, user, (await find(orchestrator, user, name)).id),
            { user },
          );
          print.document(result, () => text(result, user, name));
        });
    };

  const switching = (verb: "pause" | "resume") =>
    one(
      { verb, description: descriptions[verb] },
      (client, user, id) => calls(client).change(user, id, { enabled: verb === "resume" }),
      (changed, _user, name) => of.switched(changed, name, verb),
    );
  const remove: CommandMaker = (group, settings) => {
    destructive(group.command("delete <user> <name>"))
      .alias("rm")
      .description(descriptions.delete)
      .addHelpText("after", example(`orchctl ${kind}s delete alice ${of.example}`))
      .action(async (user: string, name: string, { yes }: Destructive, command) => {
        const { client, print, settings: found } = sessionOf(command, settings);
        await confirm(`Delete the ${kind} ${safe(name)} and its runs?`, { yes, context: { user, url: found.url } });
        const deleted = await client.platform(
          async (orchestrator) => calls(orchestrator).delete(user, (await find(orchestrator, user, name)).id),
          { user },
        );
        print.document(deleted, () => `deleted ${safe(name)}`);
      });
  };
  return { find, one, list, show, pause: switching("pause"), resume: switching("resume"), remove };
}

/** The last run as a cell of the list. */
export const lastRun = ({ last_run: last }: { readonly last_run: RunRecord | null }): string | null =>
  last && `${last.state} ${ago(last.ended_at ?? last.due_at, Date.now())}`;

async function firstRuns(runs: AsyncIterable<RunRecord>): Promise<readonly RunRecord[]> {
  const shown: RunRecord[] = [];
  for await (const run of runs) {
    if (shown.push(run) === SHOWN_RUNS) break;
  }
  return shown;
}

function runTable(runs: readonly RunRecord[], columns: number | null): string {
  if (runs.length === 0) return "no runs yet";
  const rows = runs.map((run) => [run.due_at, run.state, run.turn_id, ago(run.ended_at, Date.now()), run.error]);
  return table(["DUE", "STATE", "TURN", "ENDED", "ERROR"], rows, columns);
}
