import * as z from "zod/mini";
import { integer } from "../../shared/parse.ts";
import { ON_HOOK_ERROR, TOOL_HOOK_LIMITS as LIMITS } from "../engine/tool-hook-limits.ts";
import { toolPattern } from "../engine/tool-pattern.ts";
import { field } from "../record.ts";
import { text } from "../response-schemas.ts";
import { webhookSecret } from "./notification.ts";
import { TOOL_HOOK_MEANINGS as MEANINGS } from "./tool-hook.ts";

const TOOLS = `expected a list of 1 to ${LIMITS.tools} names of tools, or prefixes that end in *`;
const { min, max, usual } = LIMITS.timeoutMs;

/** The hook of a policy patch. It is replaced as a whole; `null` removes it. */
export const toolHookPatch = z.nullable(
  z.strictObject({
    url: field(z.string().check(z.minLength(1), z.maxLength(2048)), MEANINGS.url, "https://api.example.com/tools"),
    tools: field(
      z.array(toolPattern, TOOLS).check(z.minLength(1, TOOLS), z.maxLength(LIMITS.tools, TOOLS)),
      MEANINGS.tools,
      ["run_command", "mcp__shop__*"],
    ),
    timeout_ms: field(z._default(integer(min, max), usual), MEANINGS.timeout_ms, usual),
    on_error: field(z._default(z.enum(ON_HOOK_ERROR), "deny"), MEANINGS.on_error, "deny"),
  }),
);

/** As a policy shows it. */
export const toolHookShown = z.nullable(
  z.object({
    url: field(text, MEANINGS.url),
    tools: field(z.array(text), MEANINGS.tools),
    timeout_ms: field(z.number(), MEANINGS.timeout_ms),
    on_error: field(z.enum(ON_HOOK_ERROR), MEANINGS.on_error),
  }),
);

export const toolHookSecretRequest = z.object({
  secret: field(z.optional(webhookSecret), "The new secret. Made when omitted."),
  grace_s: field(
    z.optional(integer(0, 86_400)),
    "Seconds in which calls are signed with both secrets. 0 when omitted.",
    3600,
  ),
});

export const TOOL_HOOK_SECRET_RESPONSES = {
  ToolHookSecret: z.object({
    secret: field(text, "The secret that signs calls, returned once.", "whsec_4f0a…"),
  }),
};
