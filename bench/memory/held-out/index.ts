import { DEV } from "../dev/index.ts";

export const HELD_OUT = DEV;
