// Run by restrict-thread.test.ts: confines itself as the thread that starts programs does, then runs commands.
import { spawnSync } from "node:child_process";
import { restrictThread } from "../../../src/sandbox/programs/restrict-thread.ts";

const { sandbox, folders, commands } = JSON.parse(process.argv[2] ?? "");
restrictThread(sandbox);
const results = commands.map((command: string) => {
  const { status, signal, stdout, stderr } = spawnSync("/bin/bash", ["-c", command], {
    cwd: folders.workspace,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", TMPDIR: folders.temporary },
    encoding: "utf8",
  });
  return { status, signal, stdout, stderr };
});
process.stdout.write(JSON.stringify(results));
