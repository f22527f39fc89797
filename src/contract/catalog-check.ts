import * as z from "zod/mini";
import { catalogFault, catalogFile } from "./responses/catalog-responses.ts";

/** The answer of the program that checks a product's catalog. */
export const catalogCheck = z.object({
  files: z.array(catalogFile),
  errors: z.array(catalogFault),
  /** The number of omitted errors. */
  more_errors: z.int(),
  warnings: z.array(catalogFault),
});
export type CatalogCheck = z.output<typeof catalogCheck>;
