import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { runCommand } from "../../../src/engine/tools/command/run-command.ts";
import { writeFile } from "../../../src/engine/tools/write-file.ts";
import { commandHost } from "../../helpers/command-host.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { limitedLauncher } from "../../helpers/limits.ts";
import { toolBench } from "../../helpers/tool-context.ts";

const skip = process.getuid?.() === 0 ? false : "needs root to mount a file system";
const MIB = 1_048_576;
const SIZE_MB = 320;
const RESERVE_MB = 64;
/** Leaves less than the reserve and its margin. */
const MOST_OF_IT = Buffer.alloc(150 * MIB);
const FULL = "the disk of the host is almost full; delete files, or try again later";

/** Tools of an engine on a small file system, with a quota that is larger. */
function bench(t: Test, { neighbour }: { readonly neighbour: Buffer | null }) {
  const host = freshFolder(t, "reserve");
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${SIZE_MB}m`, "tmpfs", host]);
  t.teardown(() => execFileSync("umount", ["-l", host]));
  const other = join(host, "of-a-neighbour");
  if (neighbour !== null) writeFileSync(other, neighbour);
  const folder = join(host, "engine");
  mkdirSync(folder);
  const { launcher, disk } = limitedLauncher(folder, { cgroupFolders: [], reserveMegabytes: RESERVE_MB });
  const tools = toolBench(t, {}, {}, disk);
  const command = runCommand({ ...commandHost({ PATH: "/usr/bin:/bin" }, folder), launcher });
  return {
    ...tools,
    disk,
    other,
    sh: (text: string) => tools.run(command, { command: `cd ${folder} && ${text}` }),
    freeMb: () => {
      const { bavail, bsize } = statfsSync(host);
      return (bavail * bsize) / MIB;
    },
  };
}

t.test("a tool ends before it uses up the reserve of the host, however large its quota is", { skip }, async (t) => {
  const { sh, run, freeMb } = bench(t, { neighbour: null });
  const { error } = await sh("for i in $(seq 1000); do head -c 1000000 /dev/zero > file-$i; sleep 0.01; done");
  t.match(error, FULL);
  t.ok(freeMb() > RESERVE_MB, `${freeMb()} MB are free`);
  t.match(await run(writeFile, { path: "new.txt", content: "new" }), { error: FULL });
  t.match(await sh("rm file-*"), { error: null }, "what it wrote can be deleted");
  t.match(await run(writeFile, { path: "new.txt", content: "new" }), { error: null });
});

t.test("while the host's disk is almost full, tools delete and do not write", { skip }, async (t) => {
  const { sh, disk, other } = bench(t, { neighbour: MOST_OF_IT });
  t.match(await sh("mkdir folder && ls"), { output: { exit_code: 0, disk: FULL } });
  t.match(await sh("head -c 900000 /dev/zero > file"), { error: FULL });
  rmSync(other);
  await disk.remeasure();
  t.match(await sh("head -c 8000000 /dev/zero > file"), { error: null });
});

t.test("a tool that runs when a neighbour fills the disk writes no more", { skip }, async (t) => {
  const { sh, freeMb, other } = bench(t, { neighbour: null });
  const waits = "until [ -e ../of-a-neighbour ]; do sleep 0.05; done";
  const command = sh(`${waits}; for i in $(seq 1000); do head -c 900000 /dev/zero > file-$i; sleep 0.02; done`);
  writeFileSync(other, MOST_OF_IT);
  t.match(await command, { error: FULL });
  t.ok(freeMb() > RESERVE_MB, `${freeMb()} MB are free`);
});
