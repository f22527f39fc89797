import t from "tap";
import { startFakeServer } from "../helpers/fake-server.ts";
import { orchctlFor } from "../helpers/orchctl.ts";

const env = { ORCH_PLATFORM_KEY: "orchp_of-the-test" };

t.test("logins at tool servers are listed, begun and ended", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  const connection = {
    server: "tickets",
    url: "https://tickets.example.com/mcp",
    state: "needs_login",
    issuer: "https://login.example.com",
    scopes: ["read", "write"],
    connected_at: "2026-11-24T12:00:00.000Z",
    expires_at: null,
    last_used_at: null,
  };
  server.on("GET /engines/alice/connections", { body: { data: [connection] } });
  t.match(
    (await orchctl(["connections", "list", "alice"], { env })).stdout,
    /tickets +needs_login +read write +https:\/\/login\.example\.com/,
  );
  const link = { url: "https://agents.example.com/oauth/start?login=abc", expires_at: "2026-11-24T13:00:00.000Z" };
  server.on("POST /engines/alice/connections/tickets", { status: 201, body: link });
  t.match((await orchctl(["connections", "connect", "alice", "tickets"], { env })).stdout, link.url);
  for (const [revoked, told] of [
    [true, /and ended there/],
    [false, /but not ended there/],
  ] as const) {
    server.on("DELETE /engines/alice/connections/tickets", { body: { deleted: true, revoked } });
    t.match((await orchctl(["connections", "delete", "alice", "tickets", "--yes"], { env })).stdout, told);
  }
});
