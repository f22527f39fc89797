import type { CatalogRemark } from "../../contract/engine/catalog.ts";
import { EngineError } from "../engine-error.ts";

export type Reloaded<Answer> =
  | { readonly kind: "reloaded"; readonly answer: Answer }
  | { readonly kind: "refused"; readonly problems: readonly CatalogRemark[] };

/** An error with the first problem in its message, and all of them in its details. */
export function refusal(
  code: "CATALOG_INVALID" | "CORE_SOUL_INVALID",
  effect: string,
  errors: readonly CatalogRemark[],
): EngineError {
  const [first] = errors;
  const others = errors.length > 1 ? ` and ${errors.length - 1} more` : "";
  return new EngineError(code, `${first?.path}: ${first?.message}${others}; ${effect}`, { errors });
}
