import t, { type Test } from "tap";
import { engine, startFakeServer } from "../helpers/fake-server.ts";
import { orchctlFor } from "../helpers/orchctl.ts";

const AT = "2026-11-24T08:00:00.000Z";
const line = {
  id: "pl_1",
  section: "about",
  text: "Lives in\u001b[2J Lyon.",
  origin: "learned",
  sources: ["ep_1", "ep_2"],
  created_at: AT,
  updated_at: AT,
};

async function start(t: Test) {
  const server = await startFakeServer(t);
  server.on("GET /engines/alice", { body: engine({ url: server.url }) });
  const orchctl = orchctlFor(t, server);
  const env = { ORCH_PLATFORM_KEY: "orchp_x", ORCH_ENGINE_KEY: "sk-orch-x" };
  return { server, run: (...args: string[]) => orchctl(["memory", ...args], { env }) };
}

t.test("shows the lines of the profile with what is needed to correct them", async (t) => {
  const { server, run } = await start(t);
  server.on("GET /memory/profile", { body: { lines: [line], bytes: 18, max_bytes: 2048 } });
  const ran = await run("profile", "alice");
  t.equal(ran.code, 0, ran.stderr);
  t.match(
    ran.stdout,
    /SECTION +TEXT +BY +ROUNDS +ID\nabout +Lives in\\u\{1b\}\[2J Lyon\. +learned +2 +pl_1\n18 of 2048 bytes/,
  );
  server.on("GET /memory/profile", { body: { lines: [], bytes: 0, max_bytes: 2048 } });
  t.match((await run("profile", "alice")).stdout, /^nothing yet/);
});

t.test("corrects a line with the words as one text, and deletes one", async (t) => {
  const { server, run } = await start(t);
  server.on("PATCH /memory/profile/pl_1", { body: { ...line, text: "Lives in Paris.", origin: "person" } });
  const corrected = await run("correct", "alice", "pl_1", "Lives", "in", "Paris.");
  t.match(corrected, { code: 0, stdout: "pl_1 now says: Lives in Paris.\n" });
  t.match(server.calls.at(-1), { method: "PATCH", path: "/memory/profile/pl_1", body: { text: "Lives in Paris." } });
  server.on("DELETE /memory/profile/pl_1", { body: { id: "pl_1", deleted: true } });
  t.match(await run("forget", "alice", "pl_1", "--yes"), { code: 0, stdout: "pl_1 is deleted\n" });
});
