import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { parseToolServers } from "../../../src/engine/mcp/server-config.ts";
import { until } from "../../helpers/until.ts";
import { fixture, serverBench } from "./tool-server-bench.ts";
import { entryContext } from "../../helpers/command-host.ts";

t.test("a server that misses the start timeout is listed with its standard error and next retry", async (t) => {
  const bench = serverBench(t);
  const env = { TOKEN: "secret-of-the-registry" };
  await bench.load({ slow: { ...fixture("says-and-waits"), env, start_timeout_s: 2 } });
  const trying = await until("it has said something", () =>
    bench.servers.list().servers.find(({ stderr = [] }) => stderr.length > 1),
  );
  t.match(trying, { status: "connecting" }, "what it says is shown while it starts");
  const failed = await bench.status("slow", "failed");
  t.match(
    failed.error,
    /^it did not answer within 2 s; standard error: .*code UNABLE_TO_GET_ISSUER_CERT token=\[redacted\]/,
  );
  t.match(failed.error, /npm error request to the registry failed$/, "a line without its end is among them");
  t.ok((failed.next_try_in_s ?? 0) >= 1);
  t.same(failed.stderr?.slice(-2), [
    "npm error code UNABLE_TO_GET_ISSUER_CERT token=[redacted]",
    "npm error request to the registry failed",
  ]);
  t.ok((failed.stderr?.length ?? 0) <= 10 && (failed.error ?? "").length < 1500, "it is bounded");
  t.notMatch(JSON.stringify(failed), /secret-of-the-registry|\\u00/);
  const logged = bench.log.map((line) => JSON.parse(line)).find(({ msg }) => msg === "tool server failed");
  t.match(logged, { tool_server: "slow", error: /UNABLE_TO_GET_ISSUER_CERT/, next_try_in_s: Number });
});

t.test("standard error of one process is not reported for the next", async (t) => {
  const bench = serverBench(t);
  const [needed, tries] = [join(bench.workspaceDir, "needed"), join(bench.workspaceDir, "tries")];
  await bench.load({ late: fixture("fails-until", needed, tries) });
  t.match(await bench.status("late", "failed"), { error: /it exited with 1; standard error: not yet$/ });
  writeFileSync(needed, "");
  await bench.status("late", "ready");
  process.kill(Number(/^alive as (\d+)$/.exec(String((await bench.call("mcp__late__speak")).output))?.[1]), "SIGKILL");
  t.match(await bench.status("late", "restarting"), { error: "it was killed by SIGKILL" });
});

t.test("a reload retries a failed server at once", async (t) => {
  const bench = serverBench(t);
  const [needed, tries] = [join(bench.workspaceDir, "needed"), join(bench.workspaceDir, "tries")];
  const entry = { late: fixture("fails-until", needed, tries) };
  await bench.load(entry);
  const isWaitingLong = () =>
    bench.servers.list().servers.some(({ next_try_in_s: next = 0 }) => next >= 8) && existsSync(tries);
  await until("the wait has grown", isWaitingLong, 45_000);
  const before = readFileSync(tries, "utf8").length;
  writeFileSync(needed, "");
  await bench.load(entry);
  t.match(bench.servers.list().servers, [{ name: "late", next_try_in_s: 0 }]);
  await until("it is tried again", () => readFileSync(tries, "utf8").length > before, 6000);
  await bench.status("late", "ready");
});

t.test("a slow server has time to negotiate the newest protocol", async (t) => {
  const bench = serverBench(t);
  const { command, args } = fixture("newest");
  const slowly = { command: "/bin/sh", args: ["-c", 'sleep 6; exec "$0" "$@"', command, ...args] };
  await bench.load({ slow: { ...slowly, start_timeout_s: 300 } });
  t.match(await bench.status("slow", "ready"), { protocol_version: "2026-07-28" });
});

t.test(
  "what a package runner starts may be installed first, and an entry may say how long its start takes",
  async (t) => {
    const deadline = (entry: unknown) =>
      parseToolServers(JSON.stringify({ mcpServers: { one: entry } }), entryContext()).servers[0]?.startTimeoutMs;
    for (const command of ["npx", "/usr/local/bin/npx", "uvx", "docker", "bunx"])
      t.equal(deadline({ command }), 300_000, command);
    for (const command of ["node", "npx-like", "python3"]) t.equal(deadline({ command }), 30_000, command);
    t.equal(deadline({ url: "http://localhost:1" }), 30_000);
    t.equal(deadline({ command: "npx", start_timeout_s: 5 }), 5000);
    for (const wrong of [0, 3601, 1.5, "10"]) {
      const { errors } = parseToolServers(
        JSON.stringify({ mcpServers: { one: { command: "x", start_timeout_s: wrong } } }),
        entryContext(),
      );
      t.match(errors, [{ message: /^mcpServers\.one\.start_timeout_s: expected a whole number from 1 to 3600/ }]);
    }
  },
);
