import { mkdtempSync, readFileSync, readdirSync, readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type ProcessIdentity, listProcesses, readIdentity } from "../../src/shared/processes.ts";

const FIXTURES = resolve(import.meta.dirname, "../../.tap/fixtures");

/** A file that is run without tap is a run of its own, and one whose tap was killed, which now has another parent. */
export function thisRun(): ProcessIdentity {
  const parent = process.ppid;
  return readIdentity(isTap(parent) ? parent : process.pid);
}

/** The folder of what the files of a run share. */
export function runFolder({ pid, startTime }: ProcessIdentity): string {
  return join(tmpdir(), `orchd-test-run-${pid}-${startTime}`);
}

/** A new folder with a short path. Its name contains the run, so that the end of the run finds it when it is left. */
export function temporaryFolder(name: string): string {
  return mkdtempSync(join(tmpdir(), name + markOf(thisRun())));
}

/** Folders and processes of a run that still exist. */
export function leftovers(run: ProcessIdentity): string[] {
  const mark = markOf(run);
  const folders = readdirSync(tmpdir()).filter((name) => name.includes(mark));
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
    ...folders.map((name) => `folder ${join(tmpdir(), name)}`),
    ...left.map(({ pid }) => `process ${pid}: ${read(() => commandOf(pid))}`),
  ];
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
