import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { startFakeServer } from "../helpers/fake-server.ts";
import { orchctlFor } from "../helpers/orchctl.ts";

const server = await startFakeServer(t);
const orchctl = orchctlFor(t, server);
const KEY = { ORCH_ADMIN_KEY: "admin-key-of-the-test" };
const link = {
  link: "orchl_1",
  url: "/console/#link=orchl_1",
  role: "viewer",
  expires_at: "2026-11-22T00:00:00.000Z",
};
const url = `${server.url}/console/#link=orchl_1`;
server.on("POST /console/links", { status: 201, body: link });

/** A desktop's opener that notes what it was told to open. */
const programs = join(t.testdir({}), "bin");
const told = join(programs, "told");
mkdirSync(programs);
writeFileSync(join(programs, "xdg-open"), `#!/bin/sh\nprintf '%s' "$*" > ${told}\n`);
chmodSync(join(programs, "xdg-open"), 0o755);
const desktop = { ...KEY, DISPLAY: ":7", PATH: `${programs}:${process.env["PATH"] ?? ""}` };

t.test("console prints a link that signs in, and opens it without showing it to other users", async (t) => {
  const { code, stdout, stderr } = await orchctl(["console", "--role", "viewer"], { env: desktop });
  t.equal(code, 0, stderr);
  t.equal(stdout, `${url}\n`);
  t.match(stderr, /opened in the browser/);
  const argument = readFileSync(told, "utf8");
  t.notMatch(argument, "orchl_1", "the link is no argument");
  const file = fileURLToPath(argument);
  t.match(readFileSync(file, "utf8"), `url=${url}"`);
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.same(server.calls.at(-1)?.body, { role: "viewer" });
});

t.test("console only prints the link where there is no browser, or none is wanted", async (t) => {
  for (const [args, env] of [
    [["console"], KEY],
    [["console"], { ...desktop, PATH: "/nowhere" }],
    [["console", "--no-open"], desktop],
    [["console", "--json"], desktop],
  ] as const) {
    writeFileSync(told, "");
    const { code, stdout, stderr } = await orchctl(args, { env });
    t.equal(code, 0, stderr);
    t.match(stdout, url);
    t.match(stderr, /within a minute/);
    t.equal(readFileSync(told, "utf8"), "");
  }
});

t.test("sessions lists who is signed in and ends a session", async (t) => {
  const session = {
    id: "ses_1",
    role: "admin",
    opened_by: "oidc",
    person: { subject: "00u1", name: "Anna", email: "anna@example.com" },
    created_at: "2026-11-22T00:00:00.000Z",
    last_used_at: "2026-11-22T00:01:00.000Z",
    expires_at: "2026-11-22T12:00:00.000Z",
    idle_expires_at: "2026-11-22T01:01:00.000Z",
    is_current: false,
  };
  server.on("GET /admin/sessions", { body: { data: [session], next_cursor: null } });
  const list = await orchctl(["sessions", "list"], { env: KEY });
  t.match(list.stdout, /ses_1 +anna@example\.com +admin +oidc +2026-11-22T00:01/);
  server.on("DELETE /admin/sessions/ses_1", { body: { ended: true } });
  const ended = await orchctl(["sessions", "revoke", "ses_1"], { env: KEY });
  t.match(ended, { code: 0, stdout: "ses_1 has ended\n" });
});
