import { parseArgs } from "node:util";
import { type Format, FORMATS } from "./datasets/datasets.ts";
import { SPLITS, type Split } from "./splits.ts";
import type { SystemKind } from "./system.ts";

export interface Options {
  readonly split: Split;
  readonly seed: number;
  /** How many to generate, or at most how many of a dataset; 10, or all. */
  readonly histories: number | undefined;
  /** Questions about a life in short messages instead of the generated histories. */
  readonly everyday: boolean;
  /** The same in German, for tuning alone. */
  readonly german: boolean;
  /** A published file instead. */
  readonly dataset: { readonly format: Format; readonly path: string } | undefined;
  readonly systems: readonly SystemKind[];
  readonly json: boolean;
  readonly showMisses: number;
}

/** What was asked for on the command line, or why that cannot be done. */
export function options(args: readonly string[], known: readonly SystemKind[]): Options | { readonly wrong: string } {
  const values = parsed(args, known);
  if ("wrong" in values) return values;
  const split = values.split;
  if (!isSplit(split)) return { wrong: `--split is one of ${Object.keys(SPLITS).join(", ")}` };
  const [seed, showMisses] = [values.seed, values["show-misses"]].map(Number);
  const histories = values.histories === undefined ? undefined : Number(values.histories);
  if (!isCount(seed) || !isCount(showMisses) || (histories !== undefined && !isCount(histories)) || histories === 0)
    return { wrong: "seed and counts are whole numbers, histories at least 1" };
  const datasets = FORMATS.flatMap((format) => {
    const path = values[format];
    return path === undefined ? [] : [{ format, path }];
  });
  if (datasets.length + Number(values.everyday) + Number(values.german) > 1)
    return { wrong: `choose one of --everyday, --german, ${FORMATS.map((format) => `--${format}`).join(", ")}` };
  if (datasets.length > 0 && split !== "dev") return { wrong: "a dataset has no --split" };
  if (values.german && split !== "dev") return { wrong: "--german has no --split" };
  if (values.everyday && split === "german") return { wrong: "--everyday is in English" };
  if (split === "held-out" && showMisses > 0)
    return { wrong: "the held-out half is not to be learned from: no --show-misses" };
  const names = values.system.split(",");
  const unknown = names.filter((name) => !known.some((one) => one.name === name));
  if (unknown.length > 0) return { wrong: `no such system: ${unknown.join(", ")}` };
  const systems = known.filter(({ name }) => names.includes(name));
  return {
    split,
    seed,
    histories,
    everyday: values.everyday,
    german: values.german,
    dataset: datasets[0],
    systems,
    json: values.json,
    showMisses,
  };
}

function parsed(args: readonly string[], known: readonly SystemKind[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        split: { type: "string", default: "dev" },
        seed: { type: "string", default: "1" },
        histories: { type: "string" },
        system: { type: "string", default: known.map(({ name }) => name).join(",") },
        everyday: { type: "boolean", default: false },
        german: { type: "boolean", default: false },
        longmemeval: { type: "string" },
        locomo: { type: "string" },
        beam: { type: "string" },
        json: { type: "boolean", default: false },
        "show-misses": { type: "string", default: "0" },
      },
    }).values;
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) };
  }
}

const isSplit = (name: string): name is Split => Object.hasOwn(SPLITS, name);

const isCount = (value: number | undefined): value is number => Number.isSafeInteger(value) && (value ?? -1) >= 0;
