import * as z from "zod/mini";
import { policyRecord } from "./policy-schemas.ts";
import { TOOL_HOOK_SECRET_RESPONSES } from "./tool-hook-schemas.ts";
import { type RecordOf, extended, field, nullable, page, record } from "../record.ts";
import { count, text, time } from "../response-schemas.ts";

const platformKey = z.object({
  prefix: nullable(text, "The key's first characters. `null` if its hash was set without them.", "orchp_4f0a"),
  last4: nullable(text, "The key's last characters. `null` if its hash was set without them.", "x9Qm"),
  created_at: field(time, "When the key, or its hash, was set."),
});

const deletion = z.object({
  started_at: field(time, "When the deletion was called for first."),
  engines_left: field(count, "Engines that still exist.", 12),
});

export const productRecord = record("ProductRecord", "A product: the owner of engines, with its key and its policy.", {
  id: field(text, "The product's id.", "prd_01jd3v7xq4"),
  slug: field(text, "Its unique name, which calls accept instead of the id.", "demo"),
  name: nullable(text, "Its name for people.", "Demo"),
  policy: field(policyRecord, "Its policy, with the default of each field that was never set."),
  engine_env_names: field(z.array(text), "The names set in the policy's `engine_env`.", ["ORCH_MODEL_ID"]),
  engine_env_values: field(
    z.record(text, text),
    "The values of `engine_env` that hold no secret. The others are never shown.",
    {},
  ),
  platform_key: field(platformKey, "The parts of the platform key that identify it."),
  deletion: field(
    z.optional(deletion),
    "Only while the product is being deleted: it gets no more engines, and this cannot be undone.",
  ),
  created_at: field(time, "When it was registered."),
  updated_at: field(time, "When its policy was last changed."),
});
export type ProductRecord = RecordOf<typeof productRecord>;

export const PRODUCT_RESPONSES = {
  ProductRecord: productRecord,
  ProductWithKey: extended(productRecord, "ProductWithKey", "A product that was registered, with its key.", {
    platform_api_key: nullable(
      text,
      "The platform key, returned once. `null` if the call brought the hash of a key, and in a repeated response.",
      "orchp_4f0a…",
    ),
  }),
  ...TOOL_HOOK_SECRET_RESPONSES,
  ProductPage: page(productRecord, "Products by id."),
  ProductDeleted: z.object({ deleted: field(z.literal(true), "The product, its engines and their data are gone.") }),
};
