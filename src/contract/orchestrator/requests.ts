import * as z from "zod/mini";
import { characters, integer, opaqueId } from "../../shared/parse.ts";
import { keptMetadata } from "./metadata.ts";
import { planName } from "./plan.ts";
import { policyPatch } from "./policy-schemas.ts";
import { field } from "../record.ts";

export * from "./records.ts";
export { type PolicyPatch, policyPatch } from "./policy-schemas.ts";

/** Request bodies of the orchestrator and their validation. Its routes are in `routes.ts`. */
export const userId = opaqueId(1, 256);
const SLUG = "expected 1 to 63 of a-z, 0-9 and single inner hyphens";
const slug = z.string(SLUG).check(z.refine((text) => /^[a-z0-9](-?[a-z0-9]){0,62}$/.test(text), { error: SLUG }));

const drainSeconds = field(
  z.optional(integer(0, 86_400)),
  "How many seconds running turns get to end. Left out: the policy's `drain_s`.",
  30,
);

const KEY_HASH = "expected SHA-256 as 64 lower-case hex digits";
const keyHash = z.string(KEY_HASH).check(z.regex(/^[0-9a-f]{64}$/, KEY_HASH));
const keyHints = {
  key_prefix: field(z.optional(characters(1, 10)), "The key's first characters, which identify it to people."),
  key_last4: field(z.optional(z.string().check(z.length(4))), "The key's last characters."),
};

export const registerRequest = z
  .object({
    slug: field(slug, "A unique name, which calls accept instead of the id.", "demo"),
    name: field(z.optional(characters(1, 200)), "A name for people.", "Demo"),
    policy: field(z.optional(policyPatch), "Fields of the policy. The others have their defaults."),
    api_key_hash: field(
      z.optional(keyHash),
      "The SHA-256 of a key that the caller has made, as 64 lower-case hex digits. Without it the daemon makes one.",
    ),
    ...keyHints,
  })
  .check(
    z.refine(
      ({ api_key_hash: hash, key_prefix: prefix, key_last4: last4 }) =>
        hash !== undefined || (prefix === undefined && last4 === undefined),
      { path: ["api_key_hash"], error: "required with key_prefix and key_last4" },
    ),
  );

export const platformKeyHashRequest = z.object({
  api_key_hash: field(keyHash, "The SHA-256 of the new key, as 64 lower-case hex digits."),
  ...keyHints,
  grace_s: field(
    z.optional(integer(0, 30 * 86_400)),
    "How many seconds the old key is accepted too. Left out, it ends at once.",
    3600,
  ),
});

export const provisionRequest = z.object({
  user_id: field(userId, "The product's id of the user.", "alice"),
  metadata: field(
    z.optional(keptMetadata),
    "Any JSON object of at most 16 KiB. It is stored, and shown in the engine's record.",
    { team: "blue" },
  ),
  plan: field(
    z.optional(planName),
    "The name of one of the product's [plans](plans.md). An engine that exists keeps its plan.",
    "pro",
  ),
  start: field(z.optional(z.boolean()), "`false` only creates the engine. Left out, it starts.", true),
});
export type ProvisionRequest = z.output<typeof provisionRequest>;

export const startRequest = z.object({});
export const drainRequest = z.object({});
export const sleepRequest = z.object({});
export const stopRequest = z.object({
  drain_s: drainSeconds,
  force: field(z.optional(z.boolean()), "`true` waits for no turn.", false),
});
export const restartRequest = z.object({ drain_s: drainSeconds });
export const rotateKeyRequest = z.object({
  grace_s: field(
    z.optional(integer(0, 86_400)),
    "How many seconds the old key is accepted too. Left out, it ends at once.",
    60,
  ),
});

/** Limits of every JSON body. Fields, list items, objects and lists count as values. */
export const BODY_LIMITS = { maxValues: 4096, maxDepth: 64 } as const;
