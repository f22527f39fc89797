import { DEV } from "./dev/index.ts";
import { HELD_OUT } from "./held-out/index.ts";
import type { Material } from "./material.ts";

/** The half to tune with, and the half whose figures are reported. They share no template and no word of the stories. */
export const SPLITS: Readonly<Record<"dev" | "held-out", Material>> = { dev: DEV, "held-out": HELD_OUT };
