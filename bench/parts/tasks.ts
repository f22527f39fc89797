import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { indexWords } from "../../src/shared/words/index-text.ts";
import { BranchTable } from "../../src/engine/store/branches.ts";
import { HitlTable } from "../../src/engine/store/hitl-requests.ts";
import { InboxTable } from "../../src/engine/store/inbox-table.ts";
import { MessageIndex } from "../../src/engine/store/message-index.ts";
import { MessageTable } from "../../src/engine/store/messages.ts";
import { type Store, openStore } from "../../src/engine/store/open-store.ts";
import { TaskTable } from "../../src/engine/store/tasks.ts";
import { MessageSearch } from "../../src/engine/tasks/message-search.ts";
import { TaskList, placeOf } from "../../src/engine/tasks/task-list.ts";
import { createLogger } from "../../src/shared/logger.ts";
import { median, percentile } from "../measure.ts";
import { type Row, loneRow } from "../report.ts";
import { Speech } from "../speech.ts";

const TASKS = 10_000;
const MESSAGES_EACH = 100;
const IN_ONE_TRANSACTION = 1000;
const QUERIES = 300;
const PAGES = 200;
const STARTS = 2000;
const BEGAN = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * What a list of many conversations costs to be read and searched, and what its record costs a turn. In CPU time, as nothing
 * in it waits: on a noisy machine it is what a quiet one would take.
 */
export async function taskLists(): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "orchd-bench-tasks-"));
  const store = openStore(folder);
  try {
    const speech = new Speech();
    const index = fill(store, speech);
    const search = new MessageSearch({
      store,
      index,
      branches: new BranchTable(store),
      logger: createLogger("bench", "silent"),
    });
    const slots = { get: () => undefined };
    const list = new TaskList({
      tasks: new TaskTable(store),
      hitl: new HitlTable(store),
      inbox: new InboxTable(store),
      slots,
      search,
    });
    const pages = readPages(list);
    const searches = searchAll(list, speech);
    const starts = startTurns(store, speech);
    const ms = (what: string, value: number, aim: string) => loneRow(what, { value, unit: "ms", aim });
    return [
      ms(`a page of 200 of ${TASKS} tasks, CPU time`, median(pages), "≤ 5 ms"),
      ms(`a search of ${TASKS * MESSAGES_EACH} messages, CPU time`, median(searches), "–"),
      ms("… 95 of 100 within", percentile(searches, 0.95), "≤ 20 ms"),
      ms("the record of a task and its message, stored with a turn's start, CPU time", median(starts), "≤ 0.3 ms"),
    ];
  } finally {
    store.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Messages as turns store them, indexed as the engine does after them. */
function fill(store: Store, speech: Speech): MessageIndex {
  const [tasks, messages, index] = [new TaskTable(store), new MessageTable(store), new MessageIndex(store)];
  for (let number = 0; number < TASKS * MESSAGES_EACH; number += IN_ONE_TRANSACTION) {
    store.transaction(() => {
      for (let n = number; n < number + IN_ONE_TRANSACTION; n++) {
        const taskId = `task-${n % TASKS}`;
        const at = BEGAN + n * MINUTE;
        const text = speech.say(30);
        tasks.turnStarted(taskId, { agent: "default", message: text, at });
        messages.append(taskId, { turnId: `turn-${n}`, role: "user", content: text }, "", at);
      }
      const said = index.unindexed(IN_ONE_TRANSACTION);
      const terms = said.map(({ id, branch, content }) => ({
        id,
        branch,
        text: indexWords(String(content)).join(" "),
      }));
      index.add(terms, said.at(-1)?.id ?? 0);
    });
  }
  return index;
}

function readPages(list: TaskList): readonly number[] {
  const took: number[] = [];
  let after = null;
  for (let page = 0; page < PAGES; page++) {
    const began = cpuMs();
    const { next_cursor: cursor } = list.page({ archived: false }, { after, limit: 200 });
    took.push(cpuMs() - began);
    after = cursor === null ? null : placeOf(cursor);
  }
  return took.slice(PAGES / 10);
}

function searchAll(list: TaskList, speech: Speech): readonly number[] {
  const took: number[] = [];
  for (let asked = 0; asked < QUERIES; asked++) {
    const words = speech.say(1 + (asked % 4));
    const began = cpuMs();
    list.page({ words, archived: false }, { after: null, limit: 50 });
    took.push(cpuMs() - began);
  }
  return took.slice(QUERIES / 10);
}

function startTurns(store: Store, speech: Speech): readonly number[] {
  const [tasks, messages] = [new TaskTable(store), new MessageTable(store)];
  return Array.from({ length: STARTS }, (_, n) => {
    const message = speech.say(30);
    const began = cpuMs();
    store.transaction(() => {
      tasks.turnStarted(`task-${n % TASKS}`, { agent: "default", message, at: Date.now() });
      messages.append(`task-${n % TASKS}`, { turnId: `more-${n}`, role: "user", content: message });
    });
    return cpuMs() - began;
  });
}
