import { InvalidArgumentError } from "commander";
import type { UsageEntry, UsageOptions } from "../../src/client/usage-calls.ts";
import { USAGE_GROUPS, type UsageGroup } from "../../src/contract/orchestrator/usage-groups.ts";
import { CliFailure } from "../exit-codes.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { table } from "../table.ts";

interface Options {
  readonly since?: string;
  readonly until?: string;
  readonly by?: readonly UsageGroup[];
  readonly csv: boolean;
  readonly all: boolean;
}

export const usageCommand: CommandMaker = (program, settings) => {
  program
    .command("usage [user]")
    .description("Show what the product's users, or one user, have spent: tokens, cost, turns and tool calls")
    .option("--since <day>", "the first UTC day, as YYYY-MM-DD (default: the first of this month)")
    .option("--until <day>", "the last UTC day (default: today)")
    .option("--by <groups>", `group by ${USAGE_GROUPS.join(", ")}; several separated by commas`, groups)
    .option("--csv", "print comma-separated values", false)
    .option("--all", "of every product, with the admin key; --product limits it to one", false)
    .addHelpText("after", example("orchctl usage --since 2026-11-01 --by user,model"))
    .action(async (user: string | undefined, { csv, all, ...range }: Options, command) => {
      const { client, print } = sessionOf(command, settings);
      if (csv && print.json) throw new CliFailure("usage", "--csv: not together with --json");
      const options: UsageOptions = { ...range, userId: user };
      const records = all
        ? await client.admin(async (admin) =>
            collect(admin.usage({ ...options, productId: await client.wantedProductId() })),
          )
        : await client.platform((own) => {
            const { userId, ...rest } = options;
            return collect(userId === undefined ? own.usage(rest) : own.engineUsage(userId, rest));
          });
      if (csv) return printCsv(records, (line) => print.line(line));
      print.document({ data: records, next_cursor: null }, (columns) => usageTable(records, columns));
    });
};

export const pricesReloadCommand: CommandMaker = (prices, settings) => {
  prices
    .command("reload")
    .description("Let the daemon read the price table of ORCH_PRICES again")
    .addHelpText("after", example("orchctl prices reload"))
    .action(async (_options: unknown, command) => {
      const { client, print } = sessionOf(command, settings);
      const reloaded = await client.admin((admin) => admin.reloadPrices());
      print.document(reloaded, () => `${reloaded.entries} prices in ${reloaded.currency}`);
    });
};

async function collect(records: AsyncIterable<UsageEntry>): Promise<readonly UsageEntry[]> {
  const all: UsageEntry[] = [];
  for await (const record of records) all.push(record);
  return all;
}

function groups(text: string): readonly UsageGroup[] {
  return text.split(",").map((name) => {
    const group = USAGE_GROUPS.find((one) => one === name);
    if (group === undefined) throw new InvalidArgumentError(`Expected one or more of ${USAGE_GROUPS.join(", ")}.`);
    return group;
  });
}

const KEYS = ["product_id", "plan", "user_id", "day", "provider", "model"] as const;
const COUNTS = [
  "model_calls",
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "turns",
  "tool_calls",
] as const;
const TITLES: Readonly<Record<string, string>> = {
  product_id: "PRODUCT",
  user_id: "USER",
  model_calls: "CALLS",
  input_tokens: "IN",
  output_tokens: "OUT",
  cache_read_tokens: "CACHE READ",
  cache_write_tokens: "CACHE WRITE",
  tool_calls: "TOOLS",
};

function usageTable(records: readonly UsageEntry[], columns: number | null): string {
  const [first] = records;
  if (first === undefined) return "no usage on these days; that of the last minute may still be missing";
  const names = [...KEYS.filter((key) => first[key] !== undefined), ...COUNTS];
  const rows = records.map((record) => [
    ...names.map((name) => (record[name] === null ? null : String(record[name]))),
    record.turn_ms === null ? null : `${Math.round(record.turn_ms / 1000)} s`,
    costOf(record),
  ]);
  return table([...names.map((name) => TITLES[name] ?? name.toUpperCase()), "TIME", "COST"], rows, columns);
}

/** An unknown cost is named, since 0 would mean free. */
const costOf = ({ cost_micros: micros, currency }: UsageEntry): string =>
  micros === null ? "unknown" : `${decimal(micros)} ${currency ?? ""}`.trim();

/** Micro-units as a decimal number of units, exact. */
function decimal(micros: number): string {
  const digits = String(micros).padStart(7, "0");
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/0{1,4}$/, "");
}

function printCsv(records: readonly UsageEntry[], print: (line: string) => void): void {
  const [first] = records;
  if (first === undefined) return;
  const names = [
    ...KEYS.filter((key) => first[key] !== undefined),
    ...COUNTS,
    "estimated_calls",
    "failed_turns",
    "turn_ms",
    "cost_micros",
    "unpriced_tokens",
    "currency",
  ] as const;
  print(names.join(","));
  for (const record of records) print(names.map((name) => quoted(record[name] ?? "")).join(","));
}

/** Escapes leading formula characters for spreadsheets. */
function quoted(value: string | number): string {
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\n\r']/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
