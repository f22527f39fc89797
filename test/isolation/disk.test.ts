import { chownSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { folderUsage } from "../../src/sandbox/disk/folder-usage.ts";
import { landlockAbi } from "../../src/sandbox/landlock/landlock.ts";
import { DISK_ATTACKS } from "./disk-attacks.ts";
import { ORDINARY_UID, attackedHost } from "./host.ts";

const MIB = 1_048_576;
const DISK_MB = 200;
/** Mostly below 62 MB. Where others use up the processors the engine comes later: once 175 MB were seen. */
const MAX_OVERSHOOT = 200 * MIB;

const { abi, problem } = landlockAbi();
const python = existsSync("/usr/bin/python3") ? null : "the attacks need /usr/bin/python3";
const isRoot = process.getuid?.() === 0;
const skip = python ?? problem ?? (abi < 6 ? `Landlock ABI ${abi} knows no signals` : !isRoot && "needs root");
/** Not in memory: what a program writes there counts as its memory. */
const DISK = tmpdir();

for (const { who, uid } of [
  { who: "root", uid: undefined },
  { who: "an ordinary user", uid: ORDINARY_UID },
]) {
  t.test(
    `under a daemon of ${who} no attack uses much more than the disk quota`,
    { skip, timeout: 220_000 },
    async (t) => {
      const dataDir = mkdtempSync(join(DISK, "orchd-disk-"));
      t.teardown(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }));
      if (uid !== undefined) chownSync(dataDir, uid, uid);
      const policy = { disk_mb: DISK_MB, memory_mb: 2048 };
      const host = await attackedHost(t, { isolation: "require", dataDir, policy, ...(uid !== undefined && { uid }) });
      const { alice } = host;
      for (const [index, { name, py }] of DISK_ATTACKS.entries()) {
        const folder = `attack-${index}`;
        const program = join(alice.folder, `workspace/attack-${index}.py`);
        writeFileSync(program, py);
        const free = freeBytes();
        let lowest = free;
        const begin = Date.now();
        const look = setInterval(() => (lowest = Math.min(lowest, freeBytes())), 5);
        const command = `mkdir ${folder} && cd ${folder} && exec /usr/bin/python3 ../attack-${index}.py`;
        const result = await alice.tool("run_command", { command, timeout_s: 90 }).catch(String);
        clearInterval(look);
        const took = Date.now() - begin;
        const { bytes } = await folderUsage(alice.folder);
        const overshoot = bytes - DISK_MB * MIB;
        t.comment(
          `${name} (${took} ms): overshoot ${mib(overshoot)} MB, the disk fell by ${mib(free - lowest)} MB; ${JSON.stringify(result).slice(0, 90)}`,
        );
        t.notMatch(result, /ESCAPED/, name);
        t.ok(overshoot <= MAX_OVERSHOOT, name);
        await alice.tool("run_command", { command: `rm -rf ${folder}` });
      }
      t.match(await alice.tool("run_command", { command: "echo written > file && cat file" }), { output: "written\n" });
    },
  );
}

function freeBytes(): number {
  const { bfree, bsize } = statfsSync(DISK);
  return bfree * bsize;
}

const mib = (bytes: number): number => Math.round(bytes / MIB);
