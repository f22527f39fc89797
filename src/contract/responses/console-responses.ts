import * as z from "zod/mini";
import { SESSION_OPENERS, SESSION_ROLES, type SessionLink, type SessionRecord } from "../console-records.ts";
import type { HostSamples, UsageSamples } from "../sample-records.ts";
import { count, text, textOrNull, time } from "../response-schemas.ts";

const role = z.enum(SESSION_ROLES);

const session = z.object({
  id: text,
  role,
  opened_by: z.enum(SESSION_OPENERS),
  created_at: time,
  last_used_at: time,
  expires_at: time,
  idle_expires_at: time,
  is_current: z.boolean(),
}) satisfies z.ZodMiniType<SessionRecord>;

const values = z.array(z.nullable(z.number()));
const samples = z.object({
  interval_s: count,
  from: time,
  samples: z.object({
    cpu_percent: values,
    memory_mb: values,
    disk_mb: values,
    active_turns: values,
    turns: values,
    failed_turns: values,
    tokens: values,
  }),
}) satisfies z.ZodMiniType<UsageSamples>;

export const CONSOLE_RESPONSES = {
  SessionRecord: session,
  SessionPage: z.object({ data: z.array(session), next_cursor: textOrNull }),
  SessionLink: z.object({ link: text, url: text, role, expires_at: time }) satisfies z.ZodMiniType<SessionLink>,
  SessionEnded: z.object({ ended: z.literal(true) }),
  UsageSamples: samples,
  HostSamples: z.extend(samples, { engines: values }) satisfies z.ZodMiniType<HostSamples>,
};
