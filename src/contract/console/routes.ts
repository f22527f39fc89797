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
    responses: ok("SessionEnded"),
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
