import t from "tap";
import { TURN_NOTICE_LIMITS } from "../../../src/contract/engine/turn-notice.ts";
import { HitlTable } from "../../../src/engine/store/hitl-requests.ts";
import { openStore } from "../../../src/engine/store/open-store.ts";
import { TaskTable } from "../../../src/engine/store/tasks.ts";
import { TurnNoticeTable } from "../../../src/engine/store/turn-notices.ts";
import { TurnTable } from "../../../src/engine/store/turns.ts";
import { freshFolder } from "../../helpers/folder.ts";

const USAGE = { inputTokens: 0, outputTokens: 0, cacheHitTokens: 0 };

function tables(folder: string) {
  const store = openStore(folder);
  const turns = new TurnTable(store);
  const tasks = new TaskTable(store);
  return {
    store,
    turns,
    tasks,
    hitl: new HitlTable(store),
    notices: new TurnNoticeTable(store),
    begin: (turnId: string, taskId = "t1") => {
      const startedAt = Date.now();
      turns.insert({ turnId, taskId, message: "hello", metadata: {}, request: {}, startedAt });
      tasks.turnStarted(taskId, { agent: "default", message: "hello", at: startedAt });
    },
    end: (turnId: string, errorCode: Parameters<TurnTable["end"]>[1]["errorCode"]) => {
      turns.end(turnId, { errorCode, endedAt: Date.now(), usage: USAGE, output: null });
    },
  };
}

t.test("each end of a turn, each request and each title of a model is told once, in order", async (t) => {
  const { store, begin, end, hitl, tasks, notices } = tables(freshFolder(t));
  t.teardown(() => store.close());
  t.equal(notices.report(0), undefined);
  t.equal(notices.last, null);
  for (const nth of [1, 2, 3]) begin(`turn_${nth}`, `t${nth}`);
  const asked = { kind: "question", question: "Which?", context: {}, options: [], allowFreeText: true } as const;
  hitl.insert({ ...asked, requestId: "hitl-1", taskId: "t1", turnId: "turn_1", toolCallId: "c1", createdAt: 1000 });
  end("turn_1", null);
  end("turn_1", null);
  end("turn_2", "CANCELLED");
  end("turn_3", "LLM_PROVIDER_ERROR");
  tasks.nameByModel("t1", "A title");
  tasks.nameByModel("t1", "Another one");
  const told = notices.report(0);
  t.equal(told?.more, false);
  t.match(told?.notices, [
    { type: "turn.waiting", turn_id: "turn_1", request_id: "hitl-1", at: "1970-01-01T00:00:01.000Z" },
    { type: "turn.completed", task_id: "t1", turn_id: "turn_1", error: null, request_id: null },
    { type: "turn.cancelled", turn_id: "turn_2", error: null },
    { type: "turn.failed", turn_id: "turn_3", error: "LLM_PROVIDER_ERROR" },
    { type: "task.titled", task_id: "t1", turn_id: null },
  ]);
  t.equal(JSON.stringify(told).includes('title"'), false, "without content");
});

t.test("a notice of a transaction that fails is not kept", async (t) => {
  const { store, begin, end, notices } = tables(freshFolder(t));
  t.teardown(() => store.close());
  begin("turn_1");
  t.throws(() =>
    store.transaction(() => {
      end("turn_1", null);
      throw new Error("the disk is full");
    }),
  );
  t.equal(notices.last, null);
});

t.test("notices are kept until the daemon has stored them, and numbers are never used again", async (t) => {
  const folder = freshFolder(t);
  const first = tables(folder);
  const { perReport } = TURN_NOTICE_LIMITS;
  for (let nth = 0; nth < perReport + 2; nth++) {
    first.begin(`turn_${nth}`);
    first.end(`turn_${nth}`, null);
  }
  t.match(first.notices.report(0), { more: true, notices: { length: perReport } });
  t.match(first.notices.report(0)?.notices[0], { seq: 1 }, "an answer that was lost is repeated");
  t.match(first.notices.report(perReport), { more: false, notices: [{ seq: perReport + 1 }, { seq: perReport + 2 }] });
  t.equal(first.notices.report(perReport + 2), undefined);
  first.store.close();
  const { store, begin, end, notices } = tables(folder);
  t.teardown(() => store.close());
  begin("turn_last");
  end("turn_last", null);
  t.equal(notices.last, perReport + 3);
});
