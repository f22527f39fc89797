import { readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import t from "tap";
import { ask } from "../helpers/api.ts";
import { openStream } from "../helpers/engine.ts";
import { listProcesses, readUser, startArguments } from "../../src/sandbox/processes/process-table.ts";
import { until } from "../helpers/until.ts";
import {
  FIRST_UID,
  folderOf,
  newSite,
  provision,
  register,
  shellAs,
  skip,
  startOn,
  statusLine,
} from "../helpers/own-users.ts";

const providerKey = "provider-key-that-no-tool-sees";
const env = { LLM_PROVIDER: "sandbox", LLM_API_KEY: providerKey };

async function open(kind: "root" | "unit") {
  const site = await newSite(t, kind);
  const daemon = await startOn(t, kind, site, env);
  return { kind, site, daemon, key: await register(daemon) };
}

for (const { kind, site, daemon, key } of skip ? [] : [await open("root"), await open("unit")]) {
  t.test(`engines of a daemon (${kind}) cannot read each other's files, nor the daemon's`, async (t) => {
    const [alice, bob] = [await provision(daemon, key, "alice"), await provision(daemon, key, "bob")];
    const uids = [alice, bob].map((engine) => statSync(folderOf(site, engine)).uid);
    t.same(uids, [FIRST_UID + alice.port, FIRST_UID + bob.port]);
    for (const [at, engine] of [alice, bob].entries()) {
      const uid = uids[at];
      t.equal(statSync(folderOf(site, engine)).mode & 0o777, 0o700);
      t.equal(statusLine(engine.pid, "Uid"), Array(4).fill(uid).join("\t"));
      t.equal(statusLine(engine.pid, "Gid"), Array(4).fill(uid).join("\t"));
      t.equal(statusLine(engine.pid, "Groups"), "");
      for (const set of ["CapPrm", "CapEff", "CapInh", "CapAmb"]) t.match(statusLine(engine.pid, set), /^0+$/, set);
    }
    t.match(statusLine(daemon.process.pid ?? 0, "CapAmb"), /^0+$/, "other programs inherit none either");
    const [uid = 0] = uids;
    const store = join(folderOf(site, bob), "engine.db");
    for (const command of [
      `cat ${store}`,
      `ls ${dirname(store)}`,
      `ls ${site.dataDir}`,
      `ls ${dirname(dirname(store))}`,
      `cat ${site.dataDir}/admin-key ${site.dataDir}/secret-key`,
      `cat /proc/${daemon.process.pid}/environ`,
      `cat /proc/${bob.pid}/environ`,
      `ls ${site.dataDir}/run`,
      `touch ${site.dataDir}/cache/x`,
    ])
      t.match(shellAs(uid, command), /Permission denied/, command);
    t.match(shellAs(uid, `kill -9 ${bob.pid} ${daemon.process.pid}`), /not permitted/i);
    t.match(shellAs(uid, `head -c 6 ${join(folderOf(site, alice), "engine.db")}`), "SQLite");
    const { body } = await daemon.admin("/admin/status");
    t.match(
      body.isolation.parts.find(({ name }: { name: string }) => name === "user"),
      { active: true, problem: null },
    );
  });

  t.test(`when memory runs out, the kernel ends a tool before its engine (${kind})`, async (t) => {
    const { body } = await daemon.platform(key, "/engines/provision", { method: "POST", body: { user_id: "carol" } });
    const headers = { "x-engine-key": body.engine_api_key as string };
    const message = `/tool run_command ${JSON.stringify({ command: "exec sleep 61" })}`;
    const stream = await openStream(body.url, "/execute", { headers, body: { task_id: "t", message } });
    const { data: asked } = await stream.first("hitl_request");
    const answer = { request_id: asked.request_id, answer: "allow_once" };
    await ask(body.url, "/hitl/respond", { method: "POST", headers, body: answer });
    const uid = statSync(folderOf(site, body)).uid;
    const tool = await until("the command runs", () =>
      listProcesses().find(
        ({ pid }) => readUser(pid) === uid && startArguments(pid).slice(0, 2).join(" ") === "sleep 61",
      ),
    );
    const scoreOf = (pid: number) => Number(readFileSync(`/proc/${pid}/oom_score_adj`, "utf8"));
    const engine = listProcesses().find(({ pid }) => pid === tool.parent)?.pid ?? 0;
    t.ok(scoreOf(tool.pid) >= scoreOf(engine) + 300, `${scoreOf(tool.pid)}, ${scoreOf(engine)}`);
    process.kill(tool.pid, "SIGKILL");
    await stream.first("tool_result");
  });

  t.test(`the provider's key is not in a tool's environment, arguments or files (${kind})`, async (t) => {
    const { body } = await daemon.platform(key, "/engines/provision", { method: "POST", body: { user_id: "dave" } });
    const headers = { "x-engine-key": body.engine_api_key as string };
    // In two parts, so that the command itself does not hold what it looks for.
    const search = `KEY=provider-key-that; KEY=$KEY-no-tool-sees; env > env.txt; cat /proc/[0-9]*/cmdline > args.txt 2> /dev/null
    grep -rlaF "$KEY" env.txt args.txt ${folderOf(site, body)} ${site.dataDir} /proc/[0-9]*/environ 2> /dev/null; ulimit -c; echo searched`;
    const message = `/tool run_command ${JSON.stringify({ command: search })}`;
    const stream = await openStream(body.url, "/execute", { headers, body: { task_id: "t", message } });
    const { data: asked } = await stream.first("hitl_request");
    const answer = { request_id: asked.request_id, answer: "allow_once" };
    await ask(body.url, "/hitl/respond", { method: "POST", headers, body: answer });
    const { data } = await stream.first("tool_result");
    t.match(data.output, { output: /^0\nsearched\n$/ }, "nothing is found, and no core is dumped");
    t.notMatch(readFileSync(`/proc/${body.pid}/cmdline`, "utf8"), providerKey);
    t.notMatch(readFileSync(`/proc/${body.pid}/environ`, "utf8"), providerKey);
    t.same(readdirSync(join(site.dataDir, "run")), [], "the launch file is gone");
  });
}
