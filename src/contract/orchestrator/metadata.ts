import * as z from "zod/mini";
import { byteLength, keptJson } from "../../shared/parse.ts";

/** What a product stores with an engine. */
export const keptMetadata = keptJson().check(
  z.refine((value) => byteLength(JSON.stringify(value)) <= 16_384, { error: "expected at most 16 KiB of JSON" }),
);
