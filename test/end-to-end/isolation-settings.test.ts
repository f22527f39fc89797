import { once } from "node:events";
import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import t from "tap";
import { freePort, launchDaemon } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { newSite, skip } from "../helpers/own-users.ts";

t.test("require refuses to start where a part is missing, and names it", { skip }, async (t) => {
  const site = await newSite(t, "root");
  // Below a folder that other users may not enter, engines cannot have users of their own.
  const dataDir = join(freshFolder(t), "closed", "data");
  mkdirSync(dirname(dataDir), { mode: 0o700 });
  const { process, output } = launchDaemon({
    ...site.ports,
    ORCH_PORT: String(await freePort()),
    ORCH_DATA_DIR: dataDir,
    DATABASE_URL: site.databaseUrl ?? "",
    ORCH_ISOLATION: "require",
  });
  const [code] = (await once(process, "exit")) as [number];
  t.equal(code, 1);
  t.match(
    output(),
    /ORCH_ISOLATION=require, and this host lacks a part of the isolation:\n {2}user: other users cannot enter/,
  );
  t.match(output(), `chmod o+x ${dirname(dataDir)}`);
});

t.test("folders that tools may read must exist, apart from the data folder", { skip }, async (t) => {
  const site = await newSite(t, "root");
  const link = join(freshFolder(t), "link");
  symlinkSync(site.dataDir, link);
  const { process, output } = launchDaemon({
    ...site.ports,
    ORCH_PORT: String(await freePort()),
    ORCH_DATA_DIR: site.dataDir,
    DATABASE_URL: site.databaseUrl ?? "",
    ORCH_TOOL_READ_PATHS: `/usr/share:/nowhere:${link}:/`,
  });
  const [code] = (await once(process, "exit")) as [number];
  t.equal(code, 1);
  t.match(output(), 'ORCH_TOOL_READ_PATHS: expected folders that exist, got "/nowhere"');
  t.match(output(), `ORCH_TOOL_READ_PATHS: expected folders apart from the data folder, got "${link}"`);
  t.match(output(), 'ORCH_TOOL_READ_PATHS: expected folders apart from the data folder, got "/"');
  t.notMatch(output(), '"/usr/share"');
});
