import * as z from "zod/mini";

/**
 * A schema with what the documents of an interface say of it. Programs are built without this (`scripts/trim-packages.ts`): a
 * described schema is a second one beside the first, and an engine would hold hundreds.
 */
export const described = <Schema extends z.ZodMiniType>(
  schema: Schema,
  meta: { readonly title?: string; readonly description?: string; readonly examples?: unknown[] },
): Schema => schema.check(z.meta(meta));
