import { CONSOLE_HEADER } from "../console-records.ts";
import { linkRequest, signInRequest } from "../console-requests.ts";
import { json, ok } from "../route-table.ts";
import { PAGE, type Route, admin, adminKey, open, session, signIn } from "./route-row.ts";

/** The console's page, and the sessions of the people who use it. */
export const CONSOLE_ROUTES = {
  consolePage: open("GET /console", "The console", {
    responses: { 200: [{ kind: "html" }] },
    errors: ["NOT_FOUND"],
  }),
  consoleAsset: open("GET /console/assets/{file}", "A file of the console", {
    responses: { 200: [{ kind: "file" }] },
    errors: ["NOT_FOUND"],
  }),
  signIn: signIn("POST /console/session", "Open a session by the admin key or a one-time link, as a cookie", {
    headers: {
      [CONSOLE_HEADER]: { kind: "text", maxLength: 1, summary: "`1`: the call is the console's, not another site's" },
    },
    request: signInRequest,
    maxBodyBytes: 2048,
    responses: { 201: [json("SessionRecord")] },
    errors: ["INVALID_ADMIN_KEY", "INVALID_LINK", "RATE_LIMITED"],
  }),
  showSession: session("GET /console/session", "The session of this call", { responses: ok("SessionRecord") }),
  signOut: session("DELETE /console/session", "End the session of this call", { responses: ok("SessionEnded") }),
  createLink: adminKey("POST /console/links", "Create a link that opens one session within a minute", {
    request: linkRequest,
    responses: { 201: [json("SessionLink")] },
  }),
  listSessions: admin("GET /admin/sessions", "The sessions of the console that are open", {
    query: PAGE,
    responses: ok("SessionPage"),
  }),
  endSession: admin("DELETE /admin/sessions/{session_id}", "End a session", {
    responses: ok("SessionEnded"),
    errors: ["SESSION_NOT_FOUND"],
  }),
} satisfies Record<string, Route>;
