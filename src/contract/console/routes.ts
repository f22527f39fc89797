import { CONSOLE_HEADER } from "./session-limits.ts";
import { linkRequest, signInRequest } from "./session.ts";
import { PAGE, json, ok } from "../route-table.ts";
import { type Route, admin, adminKey, open, session, signIn } from "../orchestrator/routes/route-row.ts";

/** The console's page, and the sessions of the people who use it. */
export const CONSOLE_ROUTES = {
  consolePage: open("GET /console", "The [console](console.md), at `/console/`", {
    responses: { 200: [{ kind: "html" }] },
    errors: ["NOT_FOUND"],
  }),
  signInOptions: open("GET /console/sign-in", "How people sign in besides the admin key and links", {
    responses: ok("SignInOptions"),
  }),
  beginSignIn: open(
    "GET /console/sign-in/begin",
    "Lead a browser to the [identity provider](console.md#sign-in-with-an-identity-provider)",
    {
      query: { return: { kind: "text", maxLength: 1024, summary: "The path of the view to show afterwards" } },
      responses: { 303: [{ kind: "html" }] },
    },
  ),
  finishSignIn: open(
    "GET /console/sign-in/callback",
    "Where the identity provider sends the browser back: open a session, as a cookie",
    {
      query: {
        code: { kind: "text", summary: "The authorization code" },
        state: { kind: "text", summary: "As it was sent to the provider" },
        iss: { kind: "text", summary: "The issuer" },
        error: { kind: "text", summary: "Why the provider refused" },
      },
      responses: { 303: [{ kind: "html" }] },
    },
  ),
  consoleAsset: open("GET /console/assets/{file}", "A file of the console", {
    responses: { 200: [{ kind: "file" }] },
    errors: ["NOT_FOUND"],
  }),
  signIn: signIn("POST /console/session", "Sign in: open a session, as a cookie", {
    headers: {
      [CONSOLE_HEADER]: { kind: "text", maxLength: 1, summary: "`1`: the call is the console's, not another site's" },
    },
    request: signInRequest,
    maxBodyBytes: 2048,
    repeatable: false,
    responses: { 201: [json("SessionRecord")] },
    errors: ["INVALID_ADMIN_KEY", "INVALID_LINK", "RATE_LIMITED"],
  }),
  showSession: session("GET /console/session", "Get the session of this call", {
    role: "viewer",
    responses: ok("SessionRecord"),
  }),
  signOut: session("DELETE /console/session", "Sign out: end the session of this call", {
    role: "viewer",
    responses: ok("SignedOut"),
  }),
  createLink: adminKey("POST /console/links", "Create a link that opens one session within a minute", {
    clientMethod: "createLink",
    request: linkRequest,
    repeatable: false,
    responses: { 201: [json("SessionLink")] },
  }),
  listSessions: admin("GET /admin/sessions", "List the open sessions", {
    role: "viewer",
    clientMethod: "listSessions",
    query: PAGE,
    responses: ok("SessionPage"),
  }),
  endSession: admin("DELETE /admin/sessions/{session_id}", "End a session", {
    role: "admin",
    clientMethod: "endSession",
    repeatable: false,
    responses: ok("SessionEnded"),
    errors: ["SESSION_NOT_FOUND"],
  }),
} satisfies Record<string, Route>;
