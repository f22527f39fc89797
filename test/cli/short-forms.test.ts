import { Command } from "commander";
import t from "tap";
import { createProgram } from "../../cli/program.ts";
import { readSettings } from "../../cli/settings.ts";
import { addShortForms } from "../../cli/short-forms.ts";
import { engine, fault, startFakeServer } from "../helpers/fake-server.ts";
import { orchctlFor } from "../helpers/orchctl.ts";

const KEY = { ORCH_PLATFORM_KEY: "orchp_of-the-test", ORCH_ENGINE_KEY: "sk-orch-of-the-test" };

t.test("a short form has the arguments, options and example of its full form", async (t) => {
  const settings = readSettings("/");
  const program = createProgram(settings, () => undefined);
  const find = (from: Command | undefined, name: string) => from?.commands.find((one) => one.name() === name);
  const usage = (command: Command | undefined) => ({
    words: command?.usage(),
    options: command?.options.map(({ flags }) => flags),
    description: command?.description(),
  });
  for (const [short, full] of addShortForms(new Command(), settings)) {
    const [group = "", verb = ""] = full.split(" ");
    t.same(usage(find(program, short)), usage(find(find(program, group), verb)), short);
  }
});

t.test("short forms call what the full ones call, and ps is ls", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("GET /engines", { body: { data: [engine()], next_cursor: null } });
  for (const name of ["ls", "ps"]) t.match((await orchctl([name], { env: KEY })).stdout, /^alice {2}running/m);
  server.on("POST /engines/alice/rotate-key", { body: { ...engine(), engine_api_key: "sk-orch-new" } });
  t.match((await orchctl(["rotate", "alice", "--no-save"], { env: KEY })).stdout, "sk-orch-new");
});

t.test("restart stops after the running turns, then starts; a stopped engine is started", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  const restart = (...options: string[]) => orchctl(["restart", "alice", ...options], { env: KEY });
  server.on("POST /engines/alice/stop", { body: { ...engine({ state: "stopped" }), stop_result: "drained" } });
  server.on("POST /engines/alice/start", { body: engine() });
  const ran = await restart("--drain", "5s");
  t.equal(ran.stdout, "alice is running at http://127.0.0.1:20000 (drained)\n");
  t.same(
    server.calls.map(({ path, body }) => [path, body]),
    [
      ["/engines/alice/stop", { drain_s: 5 }],
      ["/engines/alice/start", {}],
    ],
  );
  server.on("POST /engines/alice/start", fault(500, "BACKEND_ERROR", "no such program"));
  const halfway = await restart();
  t.equal(halfway.code, 7);
  t.match(halfway.stderr, /^orchctl: the engine is stopped, and did not start: no such program/);
  server.on("POST /engines/alice/stop", fault(409, "ENGINE_NOT_RUNNING", "the engine is stopped"));
  server.on("POST /engines/alice/start", { body: engine() });
  t.match((await restart()).stdout, /\(it was not running\)\n$/);
});

t.test("cancel ends the running turn of a task and reports when there is none", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("GET /engines/alice", { body: engine({ url: server.url }) });
  server.on("POST /execute/cancel", { body: { cancelled: true } });
  const ran = await orchctl(["cancel", "alice", "chat-1"], { env: KEY });
  t.equal(ran.stdout, "the turn of task chat-1 is cancelled\n", ran.stderr);
  t.same(server.calls.at(-1)?.body, { task_id: "chat-1" });
  server.on("POST /execute/cancel", { body: { cancelled: false } });
  t.equal((await orchctl(["cancel", "alice", "chat-1"], { env: KEY })).stdout, "task chat-1 has no running turn\n");
});

t.test("version shows its own one also without a daemon", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("GET /health", { body: { status: "ok", version: "9.9.9", uptime_s: 12 } });
  t.match((await orchctl(["version"])).stdout, /^orchctl {2}\d\S+ on Node\.js \S+\norchd {4}9\.9\.9 at http/);
  server.on("GET /health", fault(503, "SERVICE_UNAVAILABLE", "not now"));
  const alone = await orchctl(["version", "--json"]);
  t.equal(alone.code, 7);
  t.match(JSON.parse(alone.stdout), { orchctl: /^\d/, orchd: null });
});
