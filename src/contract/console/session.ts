import * as z from "zod/mini";
import { SESSION_OPENERS, SESSION_ROLES } from "./session-limits.ts";
import { type RecordOf, field, nullable, page, record } from "../record.ts";
import { text, time } from "../response-schemas.ts";

const ROLE = "What it may do: see [roles](console.md#roles).";
const role = z.enum(SESSION_ROLES, "expected viewer, operator or admin").check(z.meta({ title: "SessionRole" }));

const person = record("SessionPerson", "A person as the identity provider knows them.", {
  subject: field(text, "The provider's id of the person, which never changes.", "00u1a2b3c4"),
  name: nullable(text, "The name.", "Anna Example"),
  email: nullable(text, "The email address.", "anna@example.com"),
});
export type SessionPerson = RecordOf<typeof person>;

const session = record("SessionRecord", "A person who is signed in to the console.", {
  id: field(text, "The session's id.", "ses_01jd3vd0m6"),
  role: field(role, ROLE, "admin"),
  opened_by: field(z.enum(SESSION_OPENERS), "How it was opened.", "admin_key"),
  person: nullable(person, "Who signed in by OpenID Connect. `null` for the admin key and links.", null),
  created_at: field(time, "When the person signed in."),
  last_used_at: field(time, "The time of its last call, to the minute."),
  expires_at: field(time, "When it ends at the latest."),
  idle_expires_at: field(time, "When it ends without another call."),
  is_current: field(z.boolean(), "Whether it is the session of this call.", true),
});
export type SessionRecord = RecordOf<typeof session>;

const sessionLink = record("SessionLink", "A link that opens one session.", {
  link: field(text, "The link's token, which signs in once.", "orchl_4f0a…"),
  url: field(
    text,
    "The URL of the console with the link; only a path without `ORCH_PUBLIC_URL`.",
    "/console/#link=orchl_4f0a…",
  ),
  role: field(role, ROLE, "admin"),
  expires_at: field(time, "Until when it can be used."),
});
export type SessionLink = RecordOf<typeof sessionLink>;

const secret = (name: string) => z.string(`expected the ${name}`).check(z.minLength(1), z.maxLength(512));

/** Either `admin_key` or `link`. */
export const signInRequest = z.object({
  admin_key: field(z.optional(secret("admin key")), "The operator's key. Either this or `link` is required."),
  link: field(z.optional(secret("one-time link")), "The token of a one-time link. It has its own role."),
  role: field(z.optional(role), `${ROLE} Only with \`admin_key\`. Default: \`admin\`.`, "admin"),
});
export type SignInRequest = z.output<typeof signInRequest>;

export const linkRequest = z.object({
  role: field(z.optional(role), "What its session may do. Default: `admin`.", "admin"),
});

const signInOptions = record("SignInOptions", "How people sign in to the console.", {
  oidc: nullable(
    record("SignInProvider", "The identity provider.", {
      issuer: field(text, "Its issuer.", "https://login.example.com"),
      url: field(text, "Where a browser begins to sign in.", "https://agents.example.com/console/sign-in/begin"),
    }),
    "`null` without [an identity provider](console.md#sign-in-with-an-identity-provider).",
    null,
  ),
});

const signedOut = record("SignedOut", "The session is over, and its streams end within 5 s.", {
  ended: field(z.literal(true), "The session is over."),
  provider_url: nullable(
    text,
    "Where the browser signs out of the identity provider too. `null` where there is nothing to do.",
    null,
  ),
});

export const SESSION_RESPONSES = {
  SignInOptions: signInOptions,
  SignedOut: signedOut,
  SessionRecord: session,
  SessionPage: page(session, "Open sessions by id."),
  SessionLink: sessionLink,
  SessionEnded: z.object({ ended: field(z.literal(true), "The session is over, and its streams end within 5 s.") }),
};
