import { beam } from "./beam.ts";
import type { Dataset } from "./dataset.ts";
import { locomo } from "./locomo.ts";
import { longMemEval } from "./longmemeval.ts";

/** The published formats by the option that names a file, each read up to a number of histories. */
export const DATASETS = { longmemeval: longMemEval, locomo, beam } as const satisfies Readonly<
  Record<string, (path: string, limit?: number) => Dataset>
>;

export type Format = keyof typeof DATASETS;
export const FORMATS = Object.keys(DATASETS) as readonly Format[];
