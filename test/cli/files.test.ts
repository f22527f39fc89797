import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { startEngine } from "../helpers/engine.ts";
import { engine as record, startFakeServer } from "../helpers/fake-server.ts";
import { freshFolder } from "../helpers/folder.ts";
import { orchctlFor } from "../helpers/orchctl.ts";

const engine = await startEngine(t, { dataDir: freshFolder(t) });
const daemon = await startFakeServer(t);
daemon.on("GET /engines/alice", { body: record({ url: engine.url }) });
const orchctl = orchctlFor(t, daemon);
const env = { ORCH_PLATFORM_KEY: "orchp_of-the-test", ORCH_ENGINE_KEY: engine.key };
const files = (args: readonly string[], input = "") => orchctl(["files", ...args], { env, input });
const here = t.testdir({ "june.csv": "a,b\n" });
const local = (name: string) => join(here, name);
const workspace = (name: string) => join(engine.dataDir, "workspace", name);

t.test("files go up, are listed, moved, downloaded and removed", async (t) => {
  t.match(await files(["put", "alice", local("june.csv"), "reports/june.csv"]), {
    code: 0,
    stdout: "wrote reports/june.csv\n",
  });
  t.match(await files(["put", "alice", "-", "reports/note.txt"], "from a pipe"), { code: 0 });
  t.equal(readFileSync(workspace("reports/note.txt"), "utf8"), "from a pipe");
  const again = await files(["put", "alice", local("june.csv"), "reports/june.csv", "--new"]);
  t.match(again, { code: 5, stderr: /PRECONDITION_FAILED|there is a file/ });
  t.match(await files(["ls", "alice", "reports"]), {
    code: 0,
    stdout: /CHANGED +BYTES +PATH\n.* 4 +reports\/june.csv/,
  });
  t.match(await files(["ls", "alice", "--json", "-r"]), { code: 0, stdout: /"path":"reports\/note.txt"/ });
  t.match(await files(["mv", "alice", "reports/june.csv", "july.csv"]), {
    stdout: "moved reports/june.csv to july.csv\n",
  });
  t.match(await files(["get", "alice", "july.csv", "-o", local("copy.csv")]), { code: 0 });
  t.equal(readFileSync(local("copy.csv"), "utf8"), "a,b\n");
  t.match(await files(["get", "alice", "none.csv", "-o", local("none.csv")]), { code: 4 });
  t.notOk(existsSync(local("none.csv")));
  t.match(await files(["rm", "alice", "reports"]), { code: 2, stderr: /needs --yes/ });
  t.match(await files(["rm", "alice", "reports", "--yes"]), { code: 5, stderr: /not empty/ });
  t.match(await files(["rm", "alice", "reports", "--yes", "--recursive"]), { stdout: "removed reports\n" });
  t.match(await files(["ls", "alice", "july.csv"]), { code: 2, stderr: /not a folder/ });
});

t.test("a folder is downloaded as an archive, and a link reads a file without a key", async (t) => {
  for (const format of ["zip", "tar.gz"]) {
    const output = local(`all.${format}`);
    t.match(await files(["archive", "alice", "--format", format, "-o", output]), {
      code: 0,
      stdout: `wrote ${output}\n`,
    });
    t.equal(readFileSync(output).subarray(0, 2).toString("latin1"), format === "zip" ? "PK" : "\x1f\x8b");
  }
  const { stdout } = await files(["link", "alice", "july.csv", "--ttl", "60"]);
  const answer = await fetch(stdout.trim());
  t.equal(await answer.text(), "a,b\n");
  t.match(await files(["link", "alice", "july.csv", "--ttl", "4000"]), { code: 2, stderr: /ttl_s/ });
});

t.test("what the agent published is listed and downloaded by version", async (t) => {
  await engine.turn("t1", '/tool publish_file {"path":"july.csv","title":"Report\\u001b[2J"}\n/say done');
  writeFileSync(workspace("july.csv"), "changed");
  const listed = await files(["artifacts", "alice", "t1"]);
  t.match(listed, { code: 0, stdout: /1 +Report\\u\{1b\}\[2J +july.csv +art_/ });
  const [id = ""] = /art_\S+/.exec(listed.stdout) ?? [];
  t.match(await files(["get", "alice", id, "--artifact", "-o", local("v1.csv")]), { code: 0 });
  t.equal(readFileSync(local("v1.csv"), "utf8"), "a,b\n");
});
