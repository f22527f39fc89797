import * as z from "zod/mini";
import { type RecordOf, nullable } from "../record.ts";

/** The name of an agent, or a prefix of names. */
export const agentPattern = z
  .string()
  .check(z.regex(/^(?:\*|[a-z0-9-]{1,64}\*?)$/, "expected the name of an agent, or a prefix that ends in *"));

const name = z.string().check(z.minLength(1), z.maxLength(256));

/** What the policy says of the agents and tools that may be used. */
export const allowedUse = {
  agents: nullable(z.array(name), "The policy's `allowed_agents`."),
  tools: nullable(z.array(name), "The policy's `allowed_tools`."),
};
export type AllowedUse = RecordOf<z.ZodMiniObject<typeof allowedUse>>;

export const ANY_USE: AllowedUse = { agents: null, tools: null };
