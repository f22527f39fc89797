import type { EngineRecord, EngineState } from "../../src/client/records.ts";
import { Option } from "commander";
import { ENGINE_STATES } from "../../src/contract/orchestrator/records.ts";
import { listEngines } from "../list-engines.ts";
import { showLive } from "../live-view.ts";
import { interval } from "../option-values.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { table } from "../table.ts";

type Engine = EngineRecord & { readonly product: string | null };

/** What the table can be sorted by: the largest first, or in the order of the text. */
const SORTS = {
  cpu: ({ usage }) => usage?.cpu_percent ?? -1,
  memory: ({ usage }) => usage?.memory_mb ?? -1,
  disk: ({ usage }) => usage?.disk_mb ?? -1,
  turns: ({ usage }) => usage?.active_turns ?? -1,
  tokens: ({ usage }) => usage?.work?.tokens ?? -1,
  restarts: ({ restarts }) => restarts.count,
  user: ({ user_id }) => user_id,
  state: ({ state }) => state,
} as const satisfies Record<string, (engine: Engine) => number | string>;

interface Options {
  readonly sort: keyof typeof SORTS;
  readonly state?: EngineState;
  readonly user?: string;
  readonly all: boolean;
  readonly interval: number;
  readonly once: boolean;
}

export const topCommand: CommandMaker = (program, settings) => {
  program
    .command("top")
    .description("Show engines by what they use, live: CPU, memory, disk, running turns, tokens and restarts")
    .addOption(new Option("--sort <field>", "sort by this field").choices(Object.keys(SORTS)).default("cpu"))
    .addOption(new Option("--state <state>", "only engines in this state").choices(ENGINE_STATES))
    .option("--user <text>", "only engines whose user contains this text")
    .option("--all", "engines of every product, with the admin key; --product limits it to one", false)
    .option("--interval <time>", "how often it is shown again", interval, 5)
    .option("--once", "show it once", false)
    .addHelpText("after", example("orchctl top --all --sort memory"))
    .action(async (options: Options, command) => {
      const session = sessionOf(command, settings);
      const read = async () => ({ data: selected(await listEngines(session, options), options) });
      const describe = ({ data }: { readonly data: readonly Engine[] }, columns: number | null) =>
        describeUsage(data, { columns, withProduct: options.all });
      if (!options.once) await showLive({ print: session.print, intervalS: options.interval, read, describe });
      const value = await read();
      session.print.document(value, (columns) => describe(value, columns));
    });
};

function selected(engines: readonly Engine[], { sort, user }: Options): readonly Engine[] {
  const key = SORTS[sort];
  return engines
    .filter(({ user_id }) => user === undefined || user_id.includes(user))
    .toSorted((left, right) => compare(key(left), key(right)) || compare(left.user_id, right.user_id));
}

/** Numbers from the largest, texts from A. */
function compare(left: number | string, right: number | string): number {
  if (typeof left === "number" && typeof right === "number") return right - left;
  return String(left) < String(right) ? -1 : Number(left !== right);
}

function describeUsage(
  engines: readonly Engine[],
  { columns, withProduct }: { readonly columns: number | null; readonly withProduct: boolean },
): string {
  const sum = (of: (engine: Engine) => number | null | undefined) =>
    engines.reduce((total, engine) => total + (of(engine) ?? 0), 0);
  const summary = [
    `${engines.length} ${engines.length === 1 ? "engine" : "engines"}, ${engines.filter(({ running }) => running).length} running`,
    `CPU ${Math.round(sum(({ usage }) => usage?.cpu_percent))} %`,
    `memory ${sum(({ usage }) => usage?.memory_mb)} MB`,
    `turns ${sum(({ usage }) => usage?.active_turns)}`,
    `tokens ${sum(({ usage }) => usage?.work?.tokens)}`,
  ];
  const rows = engines.map((engine) => row(engine, withProduct));
  return `${summary.join(", ")}\n${table(withProduct ? [...HEAD, "PRODUCT"] : HEAD, rows, columns)}`;
}

const HEAD = ["USER", "STATE", "CPU", "MEMORY", "TURNS", "TOKENS", "RESTARTS", "DISK"];

function row({ user_id, state, usage, restarts, product }: Engine, withProduct: boolean): readonly (string | null)[] {
  const unit = (value: number | null | undefined, name: string) =>
    value === null || value === undefined ? null : `${value}${name}`;
  return [
    user_id,
    state,
    unit(usage?.cpu_percent, " %"),
    unit(usage?.memory_mb, " MB"),
    unit(usage?.active_turns, ""),
    unit(usage?.work?.tokens, ""),
    String(restarts.count),
    unit(usage?.disk_mb, " MB"),
    ...(withProduct ? [safe(product)] : []),
  ];
}
