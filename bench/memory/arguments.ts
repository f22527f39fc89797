import { parseArgs } from "node:util";
import type { SystemKind } from "./system.ts";

export interface Options {
  readonly split: "dev" | "held-out";
  readonly seed: number;
  readonly histories: number;
  /** Questions about a life in short messages instead of the generated histories. */
  readonly everyday: boolean;
  /** The same in German, for tuning alone. */
  readonly german: boolean;
  readonly systems: readonly SystemKind[];
  readonly json: boolean;
  readonly showMisses: number;
}

/** What was asked for on the command line, or why that cannot be done. */
export function options(args: readonly string[], known: readonly SystemKind[]): Options | { readonly wrong: string } {
  const values = parsed(args, known);
  if ("wrong" in values) return values;
  const split = values.split;
  if (split !== "dev" && split !== "held-out") return { wrong: "--split is dev or held-out" };
  const [seed, histories, showMisses] = [values.seed, values.histories, values["show-misses"]].map(Number);
  if (!isCount(seed) || !isCount(showMisses) || !isCount(histories) || histories === 0)
    return { wrong: "seed and counts are whole numbers, histories at least 1" };
  if (values.german && split !== "dev") return { wrong: "--german has no held-out half" };
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
        histories: { type: "string", default: "10" },
        system: { type: "string", default: known.map(({ name }) => name).join(",") },
        everyday: { type: "boolean", default: false },
        german: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        "show-misses": { type: "string", default: "0" },
      },
    }).values;
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) };
  }
}

const isCount = (value: number | undefined): value is number => Number.isSafeInteger(value) && (value ?? -1) >= 0;
