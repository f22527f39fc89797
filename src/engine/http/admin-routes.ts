import type { RequestHandler } from "express";
import type { CatalogReloaded, CatalogRemark, CoreSoulReloaded } from "../../contract/engine-records.ts";
import { EngineError } from "../engine-error.ts";

type Reloaded<Answer> =
  | { readonly kind: "reloaded"; readonly answer: Answer }
  | { readonly kind: "refused"; readonly problems: readonly CatalogRemark[] };

/** What can be read again without a restart. */
export interface Reloads {
  reload(): Promise<Reloaded<CatalogReloaded>>;
  reloadSoul(): Promise<Reloaded<CoreSoulReloaded>>;
}

export const reloadCatalogRoute =
  (catalog: Reloads): RequestHandler =>
  async (_request, response) => {
    const outcome = await catalog.reload();
    if (outcome.kind === "refused") throw refusal("CATALOG_INVALID", "the old catalog stays", outcome.problems);
    response.json(outcome.answer);
  };

export const reloadCoreSoulRoute =
  (catalog: Reloads): RequestHandler =>
  async (_request, response) => {
    const outcome = await catalog.reloadSoul();
    if (outcome.kind === "refused") throw refusal("CORE_SOUL_INVALID", "the old core soul stays", outcome.problems);
    response.json(outcome.answer);
  };

/** The first fault in the message, all of them in the details. */
function refusal(
  code: "CATALOG_INVALID" | "CORE_SOUL_INVALID",
  effect: string,
  errors: readonly CatalogRemark[],
): EngineError {
  const [first] = errors;
  const others = errors.length > 1 ? ` and ${errors.length - 1} more` : "";
  return new EngineError(code, `${first?.path}: ${first?.message}${others}; ${effect}`, { errors });
}
