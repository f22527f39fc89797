import * as z from "zod/mini";
import { type RecordOf, field, nullable, record } from "../record.ts";
import { text, time } from "../response-schemas.ts";

const state = z.enum(["connected", "needs_login"]);

const connection = record("Connection", "A user's login at a tool server.", {
  server: field(text, "The tool server's name in the catalog.", "tickets"),
  url: field(text, "Its address, the only one that gets the tokens.", "https://tickets.example.com/mcp"),
  state: field(
    state,
    "`needs_login`: the tokens cannot be renewed, and the user is asked at the next use.",
    "connected",
  ),
  issuer: field(text, "The authorization server.", "https://login.example.com"),
  scopes: field(z.array(text), "What the user has permitted.", ["tickets:read"]),
  connected_at: field(time, "When the user signed in."),
  expires_at: nullable(time, "When the access token ends; it is renewed before. `null` when the server does not say."),
  last_used_at: nullable(time, "Its last use, to the minute. `null` before the first."),
});
export type Connection = RecordOf<typeof connection>;

const connections = z
  .object({ data: field(z.array(connection), "The connections, by the names of their servers.") })
  .check(z.meta({ description: "A user's logins at tool servers." }));

const loginLink = record("LoginLink", "A link with which the user signs in to a tool server.", {
  url: field(text, "The link, for the user alone.", "https://agents.example.com/oauth/start?login=3xQ…"),
  expires_at: field(time, "When it ends."),
});
export type LoginLinkRecord = RecordOf<typeof loginLink>;

const disconnected = record("Disconnected", "A connection that was deleted.", {
  deleted: field(z.literal(true), "The tokens are deleted here."),
  revoked: field(
    z.boolean(),
    "Whether the authorization server has ended them too. `false`: it does not offer that, refused, or did not answer; then it is asked again for three days.",
  ),
});

const loginClient = record("LoginClient", "This deployment as a client of authorization servers.", {
  client_id: field(text, "The address of this document.", "https://agents.example.com/oauth/client.json"),
  client_name: field(text, "What people read.", "orchd"),
  redirect_uris: field(z.array(text), "Where users come back to.", ["https://agents.example.com/oauth/callback"]),
  grant_types: field(z.array(text), "How it gets tokens.", ["authorization_code", "refresh_token"]),
  response_types: field(z.array(text), "What it asks for.", ["code"]),
  token_endpoint_auth_method: field(text, "It has no secret, and uses PKCE.", "none"),
});

export const CONNECTION_RESPONSES = {
  LoginClient: loginClient,
  Connections: connections,
  LoginLink: loginLink,
  Disconnected: disconnected,
} as const;
