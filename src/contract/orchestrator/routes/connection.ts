import { json, ok } from "../../route-table.ts";
import { open, platform } from "./route-row.ts";

const LOGIN = { login: { kind: "text", maxLength: 128, summary: "The token of the link" } } as const;

/** Logins of end users at tool servers. */
export const CONNECTION_ROUTES = {
  listConnections: platform(
    "GET /engines/{user_id}/connections",
    "List the user's [logins](secrets.md#logins-of-tool-servers) at tool servers",
    { role: "viewer", clientMethod: "connections", responses: ok("Connections"), errors: ["ENGINE_NOT_FOUND"] },
  ),
  beginConnection: platform(
    "POST /engines/{user_id}/connections/{server}",
    "Make a link with which the user signs in to a tool server",
    {
      role: "operator",
      clientMethod: "connect",
      timeout: "boot",
      responses: { 201: [json("LoginLink")] },
      errors: ["ENGINE_NOT_FOUND", "CONNECTION_NOT_FOUND", "ENGINE_NOT_RUNNING"],
    },
  ),
  deleteConnection: platform(
    "DELETE /engines/{user_id}/connections/{server}",
    "End a login at a tool server, there too",
    {
      role: "operator",
      clientMethod: "disconnect",
      responses: ok("Disconnected"),
      errors: ["ENGINE_NOT_FOUND", "CONNECTION_NOT_FOUND"],
    },
  ),
  startLogin: open("GET /oauth/start", "Ask a user whether to sign in to a tool server, and lead there", {
    query: { ...LOGIN, go: { kind: "text", maxLength: 128, summary: "That the user agrees, from the page itself" } },
    responses: { 200: [{ kind: "html" }], 303: [{ kind: "html" }] },
  }),
  refuseLogin: open("GET /oauth/refuse", "Say that a user does not want to sign in to a tool server", {
    query: { ...LOGIN, go: { kind: "text", maxLength: 128, summary: "From the page of `GET /oauth/start`" } },
    responses: { 200: [{ kind: "html" }] },
  }),
  finishLogin: open("GET /oauth/callback", "Where an authorization server sends a user back", {
    query: {
      code: { kind: "text", summary: "The authorization code" },
      state: { kind: "text", summary: "As it was sent to the authorization server" },
      iss: { kind: "text", summary: "The issuer" },
      error: { kind: "text", summary: "Why the authorization server refused" },
    },
    responses: { 200: [{ kind: "html" }] },
  }),
  loginClient: open("GET /oauth/client.json", "What authorization servers read about this deployment as a client", {
    responses: ok("LoginClient"),
  }),
};
