import { median, percentile } from "./measure.ts";

export interface Row {
  readonly what: string;
  readonly ours: string;
  readonly floor: string;
  readonly ratio: string;
  readonly aim: string;
}

/** What a part measured, round by round: ours and the floor's. */
export interface Rounds {
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
  readonly unit: string;
  readonly aim: string;
}

export function row(what: string, { ours, theirs, unit, aim }: Rounds): Row {
  return {
    what,
    ours: figure(median(ours), unit),
    floor: figure(median(theirs), unit),
    // Each round's pair met the same machine: the median of their ratios is steadier than the ratio of medians.
    ratio: median(ours.map((value, index) => value / (theirs[index] ?? Number.NaN))).toFixed(2),
    aim,
  };
}

/** Where what we add counts, and not how many times as much it becomes. */
export function difference(what: string, { ours, theirs, unit, aim }: Rounds): Row {
  const more = median(ours.map((value, index) => value - (theirs[index] ?? Number.NaN)));
  return { ...row(what, { ours, theirs, unit, aim }), ratio: `${more < 0 ? "" : "+"}${figure(more, unit)}` };
}

/** Something that has no floor. */
export const loneRow = (
  what: string,
  { value, unit, aim }: { readonly value: number; readonly unit?: string; readonly aim: string },
): Row => ({ what, ours: unit === undefined ? String(value) : figure(value, unit), floor: "–", ratio: "–", aim });

export function table(rows: readonly Row[]): string {
  const lines = rows.map((one) => `| ${one.what} | ${one.ours} | ${one.floor} | ${one.ratio} | ${one.aim} |\n`);
  return `| what | orchd | floor | ratio | aim |\n| --- | --- | --- | --- | --- |\n${lines.join("")}`;
}

/** A step of something that is measured, with the milliseconds of each round. */
export interface StepTimes {
  readonly step: string;
  readonly sinceStart: readonly number[];
  /** Since the step before it. */
  readonly own: readonly number[];
}

export function stepTable(steps: readonly StepTimes[]): string {
  const both = (values: readonly number[]) =>
    `${figure(median(values), "ms")} | ${figure(percentile(values, 0.95), "ms")}`;
  const lines = steps.map(({ step, sinceStart, own }) => `| ${step} | ${both(own)} | ${both(sinceStart)} |\n`);
  const head = "| step | since the one before | 95 of 100 within | since the call | 95 of 100 within |\n";
  return `${head}| --- | --- | --- | --- | --- |\n${lines.join("")}`;
}

function figure(value: number, unit: string): string {
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0;
  return `${value.toFixed(digits)} ${unit}`;
}
