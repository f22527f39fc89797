import type { Policy, ProductRecord } from "@orchd/client";
import { notify } from "../../parts/notices.tsx";
import { asProblem, fieldProblem } from "../../parts/problem.ts";
import { admin } from "../../session/clients.ts";
import { storeProduct } from "./product-by-name.ts";

interface RefusedField {
  readonly field: string;
  readonly text: string;
}

/**
 * Saves the policy of a product and shows a notice. Returns the field of the form that the daemon refuses, with the reason;
 * any other failure is shown in a notice.
 */
export async function savePolicy(
  product: ProductRecord,
  changes: Partial<Policy>,
  /** `fieldOf`: the field of the form for one that the daemon names, or null. */
  { done, fieldOf }: { readonly done: string; readonly fieldOf: (named: string) => string | null },
): Promise<RefusedField | "saved" | "failed"> {
  try {
    storeProduct(await admin.setPolicy(product.slug, changes));
    notify("done", done);
    return "saved";
  } catch (error) {
    const failure = asProblem(error);
    const named = fieldProblem(failure);
    const field = named === null ? null : fieldOf(named.field);
    if (named !== null && field !== null) return { field, text: named.text };
    notify("problem", `${failure.message} (${failure.code})`);
    return "failed";
  }
}
