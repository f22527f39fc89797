import t from "tap";
import type { QuestionRecord } from "../../src/client/records.ts";
import { orchctlOf } from "../helpers/backup.ts";
import { ask } from "../helpers/api.ts";
import { openStream } from "../helpers/engine.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";
import { archiveOf, daemonOf, emptyPlace, hostWithEngine } from "./restored-host.ts";

t.test("open questions of tasks that are forked and rewound", async (t) => {
  const fleet = await openFleet(t, { env: { ORCH_HEALTH_INTERVAL_S: "60" } });
  const anna = await fleet.provision("anna");
  const list = async (): Promise<readonly QuestionRecord[]> => (await fleet.platform("GET", "/questions")).body.data;
  const asked = (count: number) =>
    until(`${count} are listed`, async () => {
      const listed = await list();
      return listed.length === count ? listed : undefined;
    });
  const answer = (id: string, given: string) =>
    fleet.platform("POST", `/engines/anna/questions/${id}`, { answer: given });
  const messagesOf = async (task: string): Promise<readonly { message_id: string }[]> =>
    (await anna.call(`/tasks/${task}/messages`)).body.items;

  await t.test("a fork has no question of its own, and leaves the first one open", async (t) => {
    await (await anna.execute("first", "/say hello")).all();
    await anna.execute("first", "/ask Which city? | Oslo | Rome\n/say done");
    const [question] = await asked(1);
    const forked = await anna.call("/tasks/first/fork", { task_id: "second" });
    t.equal(forked.status, 200, forked.text);
    t.match(await asked(1), [{ task_id: "first", request_id: question?.request_id }]);
    await (await anna.execute("second", "/say apart")).all();
    await anna.execute("second", "/ask And which street?\n/say done");
    t.same((await asked(2)).map(({ task_id }) => task_id).toSorted(), ["first", "second"]);
    t.equal((await answer(question?.request_id ?? "", "Oslo")).status, 200);
    t.match(await asked(1), [{ task_id: "second" }], "the answer of one is none of the other");
  });

  await t.test(
    "a task that waits is not rewound; when it is, its question is gone and a new one is asked",
    async (t) => {
      const [question] = await asked(1);
      const [first] = await messagesOf("second");
      const rewind = () => anna.call("/tasks/second/rewind", { to_message: first?.message_id, keep: false });
      t.match((await rewind()).body, { error: "TASK_BUSY" });
      t.match(await asked(1), [{ request_id: question?.request_id }]);
      await anna.call("/execute/cancel", { task_id: "second" });
      await asked(0);
      t.equal((await rewind()).status, 200);
      t.same(await list(), []);
      const late = await answer(question?.request_id ?? "", "any");
      t.match(late, { status: 409, body: { error: { code: "QUESTION_ANSWERED" } } });
      await anna.execute("second", "/ask Which house?\n/say done");
      const [next] = await asked(1);
      t.match(next, { task_id: "second", question: "Which house?" });
      t.not(next?.request_id, question?.request_id);
      t.equal((await answer(next?.request_id ?? "", "the red one")).status, 200);
      await asked(0);
    },
  );
});

t.test("a restored backup lists the question that was open, and its answer lets the turn go on", async (t) => {
  const host = await hostWithEngine(t);
  const { body: alice } = await host.daemon.platform(host.key, "/engines/alice/rotate-key", { method: "POST" });
  const headers = { "x-engine-key": alice.engine_api_key };
  const stream = await openStream(alice.url, "/execute", {
    headers,
    body: { task_id: "asks", message: "/ask Which city? | Oslo | Rome\n/say It is so" },
  });
  const listed = async (daemon: typeof host.daemon): Promise<readonly QuestionRecord[]> =>
    (await daemon.platform(host.key, "/questions")).body.data;
  const question = await until("it is listed", async () => (await listed(host.daemon))[0]);
  stream.cut();
  const archive = await archiveOf(t, host);
  const place = await emptyPlace(t);
  t.match(await orchctlOf(t, place)("backup", "restore", archive), { code: 0 });
  const daemon = await daemonOf(t, place);
  await until("alice runs", async () => (await daemon.platform(host.key, "/engines/alice")).body.state === "running");
  t.match(await listed(daemon), [
    {
      user_id: "alice",
      task_id: "asks",
      request_id: question.request_id,
      question: "Which city?",
      options: ["Oslo", "Rome"],
    },
  ]);
  const path = `/engines/alice/questions/${question.request_id}`;
  const answered = await daemon.platform(host.key, path, { method: "POST", body: { answer: "Rome" } });
  t.equal(answered.status, 200, answered.text);
  t.same(await listed(daemon), []);
  const { url } = (await daemon.platform(host.key, "/engines/alice")).body;
  await until("the turn goes on", async () =>
    (await ask(url, "/execute/replay?task_id=asks", { headers })).text.includes("It is so"),
  );
});
