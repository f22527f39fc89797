import t from "tap";
import { startFakeServer } from "../helpers/fake-server.ts";
import { orchctlFor } from "../helpers/orchctl.ts";

const env = { ORCH_PLATFORM_KEY: "orchp_of-the-test" };

t.test("a token is created with its bounds, shown, and ended", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  const made = {
    id: "tok_1",
    token: "orcht_shown",
    scope: "turns answers",
    expires_at: "2026-11-24T12:00:00.000Z",
    url: "https://agents.example.com",
  };
  server.on("POST /engines/alice/tokens", { status: 201, body: made });
  server.on("POST /engines/alice/tokens/revoke", { body: { epoch: 2 } });
  for (const [args, body] of [
    [[], {}],
    [["--ttl", "15m", "--scope", "turns"], { ttl_s: 900, scope: "turns" }],
    [["--task", "a", "b"], { tasks: { ids: ["a", "b"] } }],
    [["--task-prefix", "course-7/"], { tasks: { prefix: "course-7/" } }],
  ] as const) {
    const ran = await orchctl(["tokens", "create", "alice", ...args], { env });
    t.equal(ran.code, 0, ran.stderr);
    t.same(server.calls.at(-1)?.body, body);
    t.match(
      ran.stdout,
      /until 2026-11-24T12:00:00\.000Z, shown only now:\n {2}orcht_shown\nIt permits turns answers\./,
    );
    t.match(ran.stdout, "https://agents.example.com/me/");
  }
  const revoked = await orchctl(["tokens", "revoke", "alice"], { env });
  t.equal(revoked.stdout, "all tokens of alice are revoked\n");
});
