import type { HostSamples, UsageSamples } from "../../src/client/records.ts";
import { SAMPLE_MEASURES } from "../../src/contract/orchestrator/sample-measures.ts";
import { interval } from "../option-values.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { table } from "../table.ts";

type Samples = UsageSamples & { readonly engines?: HostSamples["engines"] };
type Values = readonly (number | null)[];

const HEAD = ["TIME", "CPU", "CPU OVER TIME", "MEMORY", "DISK", "RUNNING", "TURNS", "FAILED", "TOKENS"];
const BARS = "▁▂▃▄▅▆▇█";
const MOST_BARS = 10;

export const samplesCommand: CommandMaker = (program, settings) => {
  program
    .command("samples [user]")
    .description("Show what an engine, or all engines of the host together, used in the last hour; with the admin key")
    .option("--interval <time>", "the time that a line covers", interval, 300)
    .addHelpText("after", example("orchctl samples alice --interval 1m"))
    .action(async (user: string | undefined, { interval: intervalS }: { interval: number }, command) => {
      const { client, print } = sessionOf(command, settings);
      const id = user && (await client.platform((orchestrator) => orchestrator.get(user), { user })).id;
      const samples = await client.admin((admin) => (id === undefined ? admin.samples() : admin.engineSamples(id)), {
        user,
      });
      print.document(samples, (columns) => samplesTable(samples, { intervalS, columns }));
    });
};

/** Omits the lines before the first sample with a value. */
function samplesTable(
  samples: Samples,
  { intervalS, columns }: { readonly intervalS: number; readonly columns: number | null },
): string {
  const { samples: measures, engines, interval_s: sampleS, from } = samples;
  const all = [...SAMPLE_MEASURES.map((name) => measures[name]), ...(engines === undefined ? [] : [engines])];
  const first = measures.cpu_percent.findIndex((_, at) => all.some((values) => known(values[at])));
  if (first === -1) return "nothing was measured in the last hour";
  const size = Math.max(1, Math.round(intervalS / sampleS));
  const starts = measures.cpu_percent.map((_, at) => at).filter((at) => at % size === 0 && at + size > first);
  const most = Math.max(...measures.cpu_percent.map((value) => value ?? 0));
  const rows = starts.map((start) => {
    const of = (values: Values) => values.slice(start, start + size);
    return [
      new Date(Date.parse(from) + start * sampleS * 1000).toISOString().slice(0, 19).replace("T", " "),
      shown(average(of(measures.cpu_percent)), " %"),
      sparkline(of(measures.cpu_percent), most),
      shown(last(of(measures.memory_mb)), " MB"),
      shown(last(of(measures.disk_mb)), " MB"),
      shown(last(of(measures.active_turns))),
      ...[measures.turns, measures.failed_turns, measures.tokens].map((values) => shown(sum(of(values)))),
      ...(engines === undefined ? [] : [shown(last(of(engines)))]),
    ];
  });
  return table(engines === undefined ? HEAD : [...HEAD, "ENGINES"], rows, columns);
}

const known = (value: number | null | undefined): value is number => typeof value === "number";

const last = (values: Values): number | null => values.findLast(known) ?? null;

const sum = (values: Values): number | null =>
  values.some(known) ? values.reduce<number>((total, value) => total + (value ?? 0), 0) : null;

const average = (values: Values): number | null => {
  const total = sum(values);
  return total === null ? null : total / values.filter(known).length;
};

const shown = (value: number | null, unit = ""): string | null =>
  value === null ? null : `${Math.round(value * 10) / 10}${unit}`;

/** A sparkline of at most ten bars, scaled to the hour's maximum. A time without a value is a blank. */
function sparkline(values: Values, most: number): string {
  const size = Math.ceil(values.length / MOST_BARS);
  const parts = values.flatMap((_, at) => (at % size === 0 ? [average(values.slice(at, at + size))] : []));
  const bar = (value: number) => BARS[most === 0 ? 0 : Math.round((value / most) * (BARS.length - 1))];
  return parts
    .map((part) => (part === null ? " " : bar(part)))
    .join("")
    .trimEnd();
}
