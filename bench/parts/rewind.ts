import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WorkspaceCheckpoints } from "../../src/engine/checkpoints/workspace-checkpoints.ts";
import { ConversationTable } from "../../src/engine/store/conversations.ts";
import { EventTable } from "../../src/engine/store/events.ts";
import { MessageTable } from "../../src/engine/store/messages.ts";
import { type Store, openStore } from "../../src/engine/store/open-store.ts";
import { PlanTable } from "../../src/engine/store/plans.ts";
import { TaskTable } from "../../src/engine/store/tasks.ts";
import { WorkingMemoryTable } from "../../src/engine/store/working-memory.ts";
import { writeInWorkspace } from "../../src/engine/tools/workspace-files.ts";
import { EventJournal } from "../../src/engine/turns/event-journal.ts";
import { TaskBranches } from "../../src/engine/turns/task-branches.ts";
import { median } from "../measure.ts";
import { type Row, difference, loneRow } from "../report.ts";

const MESSAGES = 10_000;
const FILES = 10_000;
const ROUNDS = 30;
const CONTENT = "A line of a source file, as an agent writes it.\n".repeat(200);
const MIB = 1_048_576;

/** What a fork costs, and what checkpoints add to the calls of tools. */
export async function rewind(): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "orchd-bench-rewind-"));
  const workspaceDir = join(folder, "workspace");
  mkdirSync(workspaceDir);
  const store = openStore(folder);
  const admit = () => Promise.resolve(true);
  const checkpoints = new WorkspaceCheckpoints({ store, workspaceDir, maxBytes: 64 * MIB, admit });
  try {
    return [
      ...(await forks(store, checkpoints)),
      await writes(workspaceDir, checkpoints),
      await comparison(workspaceDir, checkpoints),
      await restore(workspaceDir, checkpoints),
    ];
  } finally {
    store.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function forks(store: Store, checkpoints: WorkspaceCheckpoints): Promise<readonly Row[]> {
  const [tasks, messages, conversations] = [
    new TaskTable(store),
    new MessageTable(store),
    new ConversationTable(store),
  ];
  store.transaction(() => {
    tasks.turnStarted("long", { agent: "default", message: "long", at: 1 });
    for (let turn = 0; turn < MESSAGES / 2; turn++) {
      messages.append("long", { turnId: `turn-${turn}`, role: "user", content: `Question ${turn}` });
      messages.append("long", {
        turnId: `turn-${turn}`,
        role: "assistant",
        content: [{ kind: "text", text: CONTENT }],
      });
    }
  });
  const branches = new TaskBranches({
    journal: new EventJournal(new EventTable(store)),
    runner: { hold: () => () => undefined },
    slots: { get: () => undefined },
    tasks,
    conversations,
    plans: new PlanTable(store),
    workingMemory: new WorkingMemoryTable(store),
    checkpoints,
    search: { indexTitle: () => undefined },
    changes: { changed: () => undefined },
  });
  const within = conversations.lastUpTo("long", MESSAGES - 2)?.id ?? 0;
  const whole = await timesOf(() => branches.fork("long", { afterMessage: null, newTaskId: null }));
  const prefix = await timesOf(() => branches.fork("long", { afterMessage: within, newTaskId: null }));
  return [
    loneRow(`a task with ${MESSAGES} messages forked, median`, { value: median(whole), unit: "ms", aim: "≤ 20 ms" }),
    loneRow("… after a message before its last", { value: median(prefix), unit: "ms", aim: "≤ 20 ms" }),
  ];
}

/** One file after the other, so that both meet the same machine. */
async function writes(workspaceDir: string, checkpoints: WorkspaceCheckpoints): Promise<Row> {
  const checkpoint = checkpoints.ofCall(call);
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const content = `${round}\n${CONTENT}`;
    ours.push(await timeOf(() => writeInWorkspace({ workspaceDir, path: "kept.ts" }, content, { checkpoint })));
    theirs.push(await timeOf(() => writeInWorkspace({ workspaceDir, path: "plain.ts" }, content)));
  }
  return difference("a file of 10 KiB written, with its checkpoint against without", {
    ours,
    theirs,
    unit: "ms",
    aim: "–",
  });
}

async function comparison(workspaceDir: string, checkpoints: WorkspaceCheckpoints): Promise<Row> {
  for (let file = 0; file < FILES; file++) {
    const folder = join(workspaceDir, `${file % 100}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${file}.ts`), "");
  }
  const times = await timesOf(() => checkpoints.ofCall(call).comparing(() => Promise.resolve()));
  return loneRow(`what a comparison of ${FILES} files adds to a command, median`, {
    value: median(times),
    unit: "ms",
    aim: "–",
  });
}

async function restore(workspaceDir: string, checkpoints: WorkspaceCheckpoints): Promise<Row> {
  const checkpoint = checkpoints.ofCall({ ...call, taskId: "restored" });
  for (let file = 0; file < 100; file++)
    await writeInWorkspace({ workspaceDir, path: `restored/${file}.ts` }, CONTENT, { checkpoint });
  const ranges = [{ taskId: "restored", above: 0, through: Number.MAX_SAFE_INTEGER }];
  const took = await timeOf(async () => {
    const { restorable } = await checkpoints.plan(ranges);
    await checkpoints.restore("restored", restorable);
  });
  return loneRow("100 files restored", { value: took, unit: "ms", aim: "–" });
}

const call = { taskId: "long", turnId: "turn", toolCallId: "call" };

async function timesOf(work: () => unknown): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await timeOf(work));
  return times;
}

async function timeOf(work: () => unknown): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
