import t from "tap";
import { LaunchSearch } from "../../../../src/orchestrator/fleet/process/launch-search.ts";
import type { ProcessStat } from "../../../../src/sandbox/processes.ts";

const RUN_DIR = "/data/run";
const fileOf = (incarnation: string) => `${RUN_DIR}/launch-${incarnation}.json`;
const processOf = (pid: number, parent: number, session = pid): ProcessStat => ({
  pid,
  parent,
  session,
  group: session,
  startTime: String(pid),
});

/** A search among processes whose environments name these launch files. */
function searched({
  processes,
  files,
  closed = [],
}: {
  readonly processes: readonly ProcessStat[];
  readonly files: Readonly<Record<number, string>>;
  readonly closed?: readonly number[];
}) {
  const reads: number[] = [];
  const search = new LaunchSearch({
    runDir: RUN_DIR,
    processes,
    mayRead: ({ pid }) => !closed.includes(pid),
    read(pid) {
      reads.push(pid);
      return files[pid] ?? null;
    },
  });
  return { reads, found: processes.map((one) => search.incarnationOf(one)) };
}

t.test("descendants of a member are recognised without a read", async (t) => {
  const processes = [processOf(10, 1), processOf(11, 10), processOf(12, 11), processOf(13, 12, 10)];
  const { reads, found } = searched({ processes: processes.toReversed(), files: { 10: fileOf("a") } });
  t.same(found, ["a", "a", "a", "a"]);
  t.same(reads, [10]);
});

t.test("processes whose session leader is a member are recognised without a read, and others are read", async (t) => {
  const processes = [processOf(10, 1), processOf(11, 1, 10), processOf(12, 1, 9)];
  const { reads, found } = searched({ processes, files: { 10: fileOf("a") } });
  t.same(found, ["a", "a", null]);
  t.same(reads, [10, 12]);
});

t.test("a member below one of another run folder, or of this very process, is its own", async (t) => {
  const processes = [processOf(10, 1), processOf(11, 10), processOf(process.pid, 11), processOf(20, process.pid)];
  const files = { 10: "/other/run/launch-b.json", 11: fileOf("a"), 20: fileOf("c") };
  t.same(searched({ processes, files }).found, [null, "a", null, "c"]);
});

t.test("parents in a circle end the search", async (t) => {
  const processes = [processOf(10, 11), processOf(11, 10)];
  t.same(searched({ processes, files: {} }).found, [null, null]);
});

t.test("what something else identifies is not read", async (t) => {
  const processes = [processOf(10, 1), processOf(11, 1)];
  const { reads, found } = searched({ processes, files: { 10: fileOf("a"), 11: fileOf("b") }, closed: [10] });
  t.same(found, [null, "b"]);
  t.same(reads, [11]);
});

t.test("slow reads end after a second", async (t) => {
  const processes = Array.from({ length: 100 }, (_, index) => processOf(10 + index, 1));
  let reads = 0;
  const read = () => {
    reads += 1;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    return null;
  };
  const search = new LaunchSearch({ runDir: RUN_DIR, processes, mayRead: () => true, read });
  t.same(new Set(processes.map((one) => search.incarnationOf(one))), new Set([null]));
  t.ok(reads > 0 && reads <= 4, `${reads} reads`);
});
