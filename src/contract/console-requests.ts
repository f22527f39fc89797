import * as z from "zod/mini";
import { SESSION_ROLES } from "./console-records.ts";

const role = z.enum(SESSION_ROLES, "expected admin or read_only");
const secret = (name: string) => z.string(`expected the ${name}`).check(z.minLength(1), z.maxLength(512));

/** Either `admin_key` or `link`. A link has its own role. */
export const signInRequest = z.object({
  admin_key: z.optional(secret("admin key")),
  link: z.optional(secret("one-time link")),
  role: z.optional(role),
});
export type SignInRequest = z.output<typeof signInRequest>;

export const linkRequest = z.object({ role: z.optional(role) });
