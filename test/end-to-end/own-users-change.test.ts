import { chmodSync, lstatSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { freshFolder } from "../helpers/folder.ts";
import {
  FIRST_UID,
  folderOf,
  newSite,
  post,
  provision,
  register,
  skip,
  startOn,
  statusLine,
} from "../helpers/own-users.ts";

t.test("a folder of an earlier daemon changes its owner at the engine's next start, and back", { skip }, async (t) => {
  const site = await newSite(t, "root");
  let daemon = await startOn(t, "root", site, { ORCH_ISOLATION: "off" });
  const key = await register(daemon);
  const alice = await provision(daemon, key, "alice");
  const folder = folderOf(site, alice);
  t.equal(statSync(folder).uid, 0);
  t.equal(statusLine(alice.pid, "Uid"), "0\t0\t0\t0");
  const foreign = join(freshFolder(t, "foreign"), "file");
  writeFileSync(foreign, "");
  mkdirSync(join(folder, "workspace", "project"), { recursive: true });
  symlinkSync(foreign, join(folder, "workspace", "project", "link"));
  const restart = async (env: Readonly<Record<string, string>>) => {
    await daemon.stop();
    daemon = await startOn(t, "root", site, env);
    t.equal((await daemon.platform(key, "/engines/alice")).body.state, "running", "a running engine goes on as it is");
    await post(daemon, key, "/engines/alice/stop");
    return (await post(daemon, key, "/engines/alice/start")).body.pid as number;
  };
  const pid = await restart({});
  const uid = FIRST_UID + alice.port;
  t.equal(statusLine(pid, "Uid").split("\t")[0], String(uid));
  for (const name of [".", "engine.db", "workspace/project", "workspace/project/link"])
    t.equal(lstatSync(join(folder, name)).uid, uid, name);
  t.equal(statSync(foreign).uid, 0);
  const back = await restart({ ORCH_ISOLATION: "off" });
  t.equal(statusLine(back, "Uid").split("\t")[0], "0");
  t.equal(statSync(join(folder, "engine.db")).uid, 0);
});

t.test("modes that a tool changed are restored at the next start", { skip }, async (t) => {
  const site = await newSite(t, "root");
  let daemon = await startOn(t, "root", site);
  const names = ["admin-key", "secret-key", "engines", "run", "."];
  const key = await register(daemon);
  const { id } = await provision(daemon, key, "alice");
  const paths = [...names, join("engines", id)].map((name) => join(site.dataDir, name));
  const modes = () => paths.map((path) => (statSync(path).mode & 0o777).toString(8));
  const before = modes();
  for (const path of paths) chmodSync(path, 0o777);
  await daemon.stop();
  daemon = await startOn(t, "root", site);
  t.same(modes(), before);
  t.same(before, ["600", "600", "711", "711", "711", "700"]);
});
