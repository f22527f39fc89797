import { accessSync, constants, mkdtempSync, readFileSync, readdirSync, readlinkSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type ProcessIdentity, listProcesses, readIdentity } from "../../src/sandbox/processes/process-table.ts";

const MEMORY = "/dev/shm";
const TMPFS = 0x01021994;
/** More than a run ever uses. */
const ENOUGH_BYTES = 4 * 1024 ** 3;
const FIXTURES = resolve(import.meta.dirname, "../../.tap/fixtures");

/** A file that is run without tap is a run of its own, and one whose tap was killed, which now has another parent. */
export function thisRun(): ProcessIdentity {
  const parent = process.ppid;
  return readIdentity(isTap(parent) ? parent : process.pid);
}

/**
 * Where the folders of the tests are: in memory, where the host has enough. On a disk each new database costs 0.2 s of CPU
 * time, and each commit of an engine waits for the disk.
 */
export const TEMPORARY = hasMemory() ? MEMORY : tmpdir();

/** The folder of what the files of a run share. */
export function runFolder({ pid, startTime }: ProcessIdentity): string {
  return join(TEMPORARY, `orchd-test-run-${pid}-${startTime}`);
}

/** A new folder with a short path. Its name contains the run, so that the end of the run finds it when it is left. */
export function temporaryFolder(name: string): string {
  return mkdtempSync(join(TEMPORARY, name + markOf(thisRun())));
}

/** Folders and processes of a run that still exist. */
export function leftovers(run: ProcessIdentity): string[] {
  const mark = markOf(run);
  const folders = readdirSync(TEMPORARY).filter((name) => name.includes(mark));
  const processes = listProcesses();
  const parents = new Map(processes.map(({ pid, parent }) => [pid, parent]));
  const ofLiveRun = (pid: number): boolean => pid > 1 && (isTap(pid) || ofLiveRun(parents.get(pid) ?? 0));
  const left = processes.filter(({ pid, startTime }) => {
    const places = placesOf(pid);
    // Another run in the same checkout uses the same folder of fixtures.
    const inFixtures = places.includes(FIXTURES) && Number(startTime) >= Number(run.startTime) && !ofLiveRun(pid);
    return places.includes(mark) || inFixtures;
  });
  return [
    ...folders.map((name) => `folder ${join(TEMPORARY, name)}`),
    ...left.map(({ pid }) => `process ${pid}: ${read(() => commandOf(pid))}`),
  ];
}

function hasMemory(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK);
    // Of its whole size, which is the same for every file of a run.
    const { type, blocks, bsize } = statfsSync(MEMORY);
    return type === TMPFS && blocks * bsize >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}

const markOf = ({ pid, startTime }: ProcessIdentity): string => `-${pid}-${startTime}-`;
const commandOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
const isTap = (pid: number): boolean => read(() => commandOf(pid)).startsWith("tap");

/** Everything that names the folders a process works in. */
const placesOf = (pid: number): string =>
  [() => commandOf(pid), () => readFileSync(`/proc/${pid}/environ`, "utf8"), () => readlinkSync(`/proc/${pid}/cwd`)]
    .map(read)
    .join("\0");

/** Empty for a process that has exited or is another user's. */
function read(what: () => string): string {
  try {
    return what();
  } catch {
    return "";
  }
}
