import * as z from "zod/mini";
import { keptMetadata } from "./metadata.ts";
import { ENGINE_POLICY_FIELDS, POLICY_ORIGINS } from "./engine-policy.ts";
import { enginePolicyPatch, enginePolicyShown, heldPolicy } from "./policy-schemas.ts";
import { type RecordOf, field, nullable, record } from "../record.ts";
import { count, text, time } from "../response-schemas.ts";

const NAME = "expected 1 to 63 of a-z, 0-9 and single inner hyphens";
export const planName = z.string(NAME).check(z.regex(/^(?=.{1,63}$)[a-z0-9](-?[a-z0-9])*$/, NAME));

export const planRequest = z.strictObject({
  policy: field(
    enginePolicyPatch,
    "What the plan sets. It replaces what the plan set before; a field left out is decided by the product's policy. `null` is a value: no limit.",
    { memory_mb: 2048, budgets: { engine: { cost_per_month: 20 } } },
  ),
});

export const enginePolicyRequest = z.strictObject({
  policy: field(
    enginePolicyPatch,
    "What is set for this engine alone, before its plan. It replaces what was set before: `{}` leaves all to the plan and the product's policy.",
    { memory_mb: 4096 },
  ),
});

export const engineChange = z.object({
  plan: field(
    z.optional(z.nullable(planName)),
    "The name of one of the product's [plans](plans.md). `null`: none. Left out, it stays as it is.",
    "pro",
  ),
  metadata: field(z.optional(keptMetadata), "Replaces the object that `provision` stored."),
});
export type EngineChange = z.output<typeof engineChange>;

const plan = record("Plan", "A named part of a product's policy, which engines can have.", {
  name: field(text, "Its name, unique in the product.", "pro"),
  policy: field(enginePolicyShown, "What it sets."),
  engines: field(count, "Engines that have it.", 12),
  created_at: field(time, "When it was created."),
  updated_at: field(time, "When it was last changed."),
});
export type Plan = RecordOf<typeof plan>;

const originOf = (name: string) => field(z.enum(POLICY_ORIGINS), `Where \`${name}\` comes from.`, "default");

const heldRecord = record("EnginePolicy", "What holds for one engine, and where each value comes from.", {
  plan: nullable(text, "The engine's plan.", "pro"),
  own: field(enginePolicyShown, "What is set for this engine alone."),
  policy: field(heldPolicy, "The value of each field in which engines may differ."),
  from: field(
    z.object(Object.fromEntries(ENGINE_POLICY_FIELDS.map((name) => [name, originOf(name)]))),
    "Where each value comes from: what is set for the `engine`, its `plan`, the policy of the `product`, or the `default` of the policy.",
  ),
});
export type HeldEnginePolicy = RecordOf<typeof heldRecord>;

export const PLAN_RESPONSES = {
  Plan: plan,
  PlanList: z.object({ data: field(z.array(plan), "All plans of the product, by name.") }),
  PlanDeleted: z.object({
    deleted: field(z.literal(true), "The plan is gone."),
    engines_moved: field(count, "Engines that had it, and now have the plan of `replace_by`.", 0),
  }),
  EnginePolicy: heldRecord,
};
