import t, { type Test } from "tap";
import { startFakeServer } from "../helpers/fake-server.ts";
import { orchctlFor } from "../helpers/orchctl.ts";

const KEY = { ORCH_PLATFORM_KEY: "orchp_of-the-test" };
const at = (agoMs: number) => new Date(Date.now() - agoMs).toISOString();
const record = (level: number, msg: string, more: object = {}) =>
  JSON.stringify({ level, time: "2026-11-01T12:00:00.000Z", name: "engine", pid: 1, engine_id: "eng_1", msg, ...more });

async function withLog(t: Test, lines: readonly string[]) {
  const server = await startFakeServer(t);
  server.on("GET /engines/alice/logs", (_call, response) => {
    response.writeHead(200, { "content-type": "text/plain; charset=utf-8" });
    response.end(lines.map((line) => `${line}\n`).join(""));
  });
  const orchctl = orchctlFor(t, server);
  return { server, logs: (...args: string[]) => orchctl(["logs", "alice", ...args], { env: KEY }) };
}

t.test("lines are shown with time, level, message and their own fields; crash output as it is", async (t) => {
  const lines = [
    record(30, "ready", { model: "m" }),
    record(50, "failed", { err: { code: "E\u001b" } }),
    "    at run ()",
  ];
  const { server, logs } = await withLog(t, lines);
  t.equal(
    (await logs()).stdout,
    [
      "2026-11-01 12:00:00.000 INFO  ready  model=m",
      String.raw`2026-11-01 12:00:00.000 ERROR failed  err={"code":"E\u001b"}`,
      "    at run ()\n",
    ].join("\n"),
  );
  t.equal(server.calls[0]?.path, "/engines/alice/logs?tail=200&follow=false");
});

t.test("--json prints the lines as they are, each a document", async (t) => {
  const { logs } = await withLog(t, [record(30, "ready"), "not JSON", "42"]);
  const [first, ...rest] = (await logs("--json")).stdout.trim().split("\n");
  t.same(JSON.parse(first!), JSON.parse(record(30, "ready")));
  t.same(rest, ['{"line":"not JSON"}', '{"line":"42"}']);
});

t.test("--level and --since select from the whole log", async (t) => {
  const { server, logs } = await withLog(t, [
    record(50, "old", { time: at(3_600_000) }),
    "of the old line",
    record(30, "new", { time: at(1000) }),
    record(40, "new warning", { time: at(500) }),
    "of the new line",
  ]);
  const messages = (shown: string) =>
    shown
      .trim()
      .split("\n")
      .map((line) => line.replace(/^.*(?:INFO|WARN|ERROR) +/, ""));
  t.same(messages((await logs("--since", "10m")).stdout), ["new", "new warning", "of the new line"]);
  t.same(messages((await logs("--since", "10m", "--level", "warn")).stdout), ["new warning", "of the new line"]);
  t.same(messages((await logs("--level", "error")).stdout), ["old", "of the old line", "of the new line"]);
  t.match(server.calls.at(-1)?.path, "tail=10000");
  await logs("--level", "error", "-n", "5");
  t.match(server.calls.at(-1)?.path, "tail=5&");
  t.equal((await logs("--level", "loud")).code, 2);
});
