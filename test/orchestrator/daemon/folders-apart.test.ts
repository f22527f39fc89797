import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { overlaps, parseMounts } from "../../../src/orchestrator/daemon/folders-apart.ts";
import { freePort, launchDaemon } from "../../helpers/daemon.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { skip } from "../../helpers/own-users.ts";

const MOUNTS = parseMounts(
  [
    "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw",
    "30 27 254:1 / /srv rw - ext4 /dev/vdb rw",
    "31 27 254:0 /opt /data\\040of\\040opt rw - ext4 /dev/vda rw",
    "32 27 254:1 /state/orchd /opt/state rw - ext4 /dev/vdb rw",
    "33 27 0:30 / /run rw - tmpfs tmpfs rw",
    "34 27 0:31 / /usr/layers rw - overlay overlay rw,lowerdir=/run/a\\134:b:/run/lower/state,upperdir=/run/up\\054per",
    "35 27 0:32 / /mnt/all rw - overlay overlay rw,lowerdir+=/,lowerdir+=relative",
    "36 27 0:33 / /mnt/merged rw - overlay overlay rw,lowerdir=/mnt/layer",
    "37 27 0:33 /shown /bound rw - overlay overlay rw,lowerdir=/mnt/layer",
    "38 27 0:34 / /opt/stacked rw - overlay overlay rw,lowerdir=/bound",
  ].join("\n"),
);
const config = (dataDir: string, { backup = "/run/backups", read = [] as readonly string[] } = {}) => ({
  isolation: "auto" as const,
  backend: "process" as const,
  toolReadPaths: read,
  dataDir,
  backup: { dir: backup, everyMs: null, keep: 1, passphrase: null, keyFiles: [] },
});

t.test("a folder with secrets that tools may read by any path is a problem", async (t) => {
  const found = (...args: Parameters<typeof config>) => overlaps(config(...args), MOUNTS);
  t.match(found("/opt/orchd/data"), [
    /^ORCH_DATA_DIR: the data folder \/opt\/orchd\/data overlaps with \/opt, .* move it/,
  ]);
  t.match(found("/usr/src/orchd/data"), [/overlaps with \/usr,/]);
  t.match(found("/bin/orchd"), [/\/bin\/orchd \(\/usr\/bin\/orchd\) overlaps/], "by a link");
  t.match(found("/data of opt/orchd"), [/overlaps with \/opt,/], "tools see it below a bind mount's origin");
  t.match(found("/srv/state/orchd"), [/overlaps with \/opt,/], "it is mounted where tools may read");
  t.match(found("/srv/state"), [/overlaps with \/opt,/], "a part of it is");
  t.match(found("/"), [/overlaps with \/usr,/], "in the other direction");
  t.match(found("/run/data", { backup: "/opt/backups" }), [/^ORCH_BACKUP_DIR: .* overlaps with \/opt,/]);
  t.match(found("/run/data", { read: ["/run/backups/old"] }), [/^ORCH_BACKUP_DIR: .*ORCH_TOOL_READ_PATHS/]);
  t.match(found("/run/lower/state/orchd"), [/overlaps with \/usr,/], "a layer of an overlay contains it");
  t.match(found("/run/lower"), [/overlaps with \/usr,/], "a part of it is a layer");
  t.match(found("/run/a:b"), [/overlaps with \/usr,/], "of several");
  t.match(found("/run/up,per"), [/overlaps with \/usr,/], "the upper layer");
  t.match(found("/mnt/layer/shown/orchd"), [/overlaps with \/opt,/], "a layer of a layer");
  t.match(found("/run/data", { read: ["/mnt/all"] }), [], "mounts within a layer are not shown");
  t.match(found("/home/data", { read: ["/mnt/all"] }), [/ORCH_TOOL_READ_PATHS/], "the rest of it is");
  t.match(found("/run/inner"), [], "beside a layer");
  for (const apart of [
    "/run/work",
    "/run/lower2",
    "/var/lib/orchd",
    "/home/me/.local/share/orchd",
    "/tmp/data",
    "/var/tmp/x",
    "/optional/orchd",
  ])
    t.same(found(apart), [], apart);
});

t.test("orchd does not start with a data folder that tools may read, and creates no key in it", { skip }, async (t) => {
  const below = mkdtempSync("/opt/orchd-test-");
  t.teardown(() => rmSync(below, { recursive: true, force: true }));
  const root = freshFolder(t);
  symlinkSync(below, join(root, "link"));
  mkdirSync(join(root, "apart"));
  for (const [dataDir, isolation] of [
    [join(below, "data"), "auto"],
    [join(root, "link/data"), "require"],
  ] as const) {
    const { process, output } = launchDaemon({
      ORCH_PORT: String(await freePort()),
      ORCH_DATA_DIR: dataDir,
      ORCH_ISOLATION: isolation,
    });
    t.same((await once(process, "exit"))[0], 1);
    t.match(output(), `ORCH_DATA_DIR: the data folder ${dataDir}`);
    t.match(output(), "overlaps with /opt, which tools may read; move it to a folder apart");
    t.notOk(existsSync(join(below, "data")));
  }
});
