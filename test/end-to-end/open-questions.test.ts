import t from "tap";
import type { QuestionRecord } from "../../src/client/records.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";

/** A minute between probes: what is listed is read for the list. */
const fleet = await openFleet(t, { env: { ORCH_HEALTH_INTERVAL_S: "60" } });
const [anna, bob] = await Promise.all([fleet.provision("anna"), fleet.provision("bob")]);

const list = async (query = ""): Promise<readonly QuestionRecord[]> => {
  const { status, body, text } = await fleet.platform("GET", `/questions${query}`);
  if (status !== 200) throw new Error(text);
  return body.data;
};
const openOf = (user: string, task: string) =>
  until(`the question of ${task} is listed`, async () =>
    (await list(`?user_id=${user}`)).find(({ task_id }) => task_id === task),
  );
const goneOf = (user: string, task: string) =>
  until(`the question of ${task} is no longer listed`, async () =>
    (await list(`?user_id=${user}`)).every(({ task_id }) => task_id !== task),
  );
const answer = (user: string, id: string, given: string) =>
  fleet.platform("POST", `/engines/${user}/questions/${id}`, { answer: given });

t.test("the question of a sleeping engine is listed without waking it, and its answer wakes it", async (t) => {
  const turn = await anna.execute("asks", "/ask Which city? | Oslo | Rome\n/say done");
  const asked = await openOf("anna", "asks");
  t.match(asked, {
    user_id: "anna",
    engine_id: anna.id,
    engine_state: "running",
    kind: "question",
    question: "Which city?",
    options: ["Oslo", "Rome"],
    is_shortened: false,
    message: /^\/ask Which city/,
  });
  turn.cut();
  await anna.sleep();
  t.match(await openOf("anna", "asks"), { engine_state: "sleeping", request_id: asked.request_id });
  t.match(await anna.show(), { state: "sleeping", open_questions: 1 });
  t.equal((await answer("anna", asked.request_id, "Paris")).body.error.code, "INVALID_REQUEST");
  await anna.sleep();
  const { status, text } = await answer("anna", asked.request_id, "Oslo");
  t.equal(status, 200, text);
  t.same(await list("?user_id=anna"), [], "at once");
  t.equal((await anna.show()).open_questions, 0);
  t.equal((await answer("anna", asked.request_id, "Oslo")).status, 200, "the same again");
  const other = await answer("anna", asked.request_id, "Rome");
  t.match(other, { status: 409, body: { error: { code: "QUESTION_ANSWERED" } } });
  const unknown = await answer("anna", "hitl-0198c1b2-7f3a-7c01-9d2e-5b6a7c8d9e0f", "Rome");
  t.match(unknown, { status: 404, body: { error: { code: "QUESTION_NOT_FOUND" } } });
  await until("the turn goes on", async () => (await anna.call("/execute/replay?task_id=asks")).text.includes("done"));
});

t.test("of many answers at once, one counts", async (t) => {
  await anna.execute("race", "/ask Which one? | a | b | c\n/say done");
  const { request_id: id } = await openOf("anna", "race");
  const statuses = await Promise.all(
    ["a", "b", "c", "a", "b"].map(async (one) => (await answer("anna", id, one)).status),
  );
  const given = statuses.filter((status) => status === 200).length;
  t.ok(given === 1 || given === 2, statuses.join());
  t.equal(statuses.filter((status) => status === 409).length, statuses.length - given);
  await goneOf("anna", "race");
});

t.test("a question that ends otherwise is no longer listed", async () => {
  await anna.execute("cancelled", "/ask Which one?\n/say done");
  await openOf("anna", "cancelled");
  await anna.call("/execute/cancel", { task_id: "cancelled" });
  await goneOf("anna", "cancelled");
  await anna.execute("direct", "/ask Which one?\n/say done");
  const { request_id: id } = await openOf("anna", "direct");
  await anna.call("/hitl/respond", { request_id: id, answer: "this" });
  await goneOf("anna", "direct");
});

t.test("an open question survives the kill of its engine and of the daemon, as the same one", async (t) => {
  await bob.execute("kept", "/ask Which one? | this | that\n/say done");
  const asked = await openOf("bob", "kept");
  process.kill((await bob.show()).pid, "SIGKILL");
  await until("its engine runs again", async () => {
    const { state, restarts } = await bob.show();
    return state === "running" && restarts.count > 0;
  });
  t.equal((await openOf("bob", "kept")).request_id, asked.request_id);
  await fleet.daemon.stop("SIGKILL");
  await fleet.restart({ ORCH_HEALTH_INTERVAL_S: "60" });
  t.equal((await openOf("bob", "kept")).request_id, asked.request_id);
  t.match(await fleet.platform("POST", "/engines/bob/stop"), { status: 200 });
  t.match(await openOf("bob", "kept"), { engine_state: "stopped" });
  t.match(await answer("bob", asked.request_id, "this"), { body: { error: { code: "ENGINE_NOT_RUNNING" } } });
  t.match(await fleet.platform("POST", "/engines/bob/start"), { status: 200 });
  t.equal((await answer("bob", asked.request_id, "this")).status, 200);
  await goneOf("bob", "kept");
});

t.test("the lists are read in pages, by one user and by all", async (t) => {
  await Promise.all([1, 2, 3].map((nth) => anna.execute(`page-${nth}`, `/ask Number ${nth}?\n/say done`)));
  await bob.execute("page-4", "/ask Number 4?\n/say done");
  await openOf("bob", "page-4");
  await until("all are listed", async () => (await list()).length === 4);
  const { body: first } = await fleet.platform("GET", "/questions?limit=3");
  const { body: second } = await fleet.platform("GET", `/questions?limit=3&cursor=${first.next_cursor}`);
  t.equal(new Set([...first.data, ...second.data].map(({ request_id }) => request_id)).size, 4);
  t.equal(second.next_cursor, null);
  const { body: all } = await fleet.daemon.admin("/admin/questions?product_id=sleepy");
  t.equal(all.data.length, 4);
  t.equal((await fleet.platform("GET", "/questions?cursor=nonsense")).body.error.code, "INVALID_REQUEST");
});

t.test("a question goes with its task and with its engine", async (t) => {
  await anna.call("/execute/cancel", { task_id: "page-1" });
  await fleet.platform("DELETE", "/engines/bob");
  await until("two are left", async () => (await list()).length === 2);
  t.same([...new Set((await list()).map(({ user_id }) => user_id))], ["anna"]);
});

t.test("a text that PostgreSQL cannot have in its text is listed", async (t) => {
  await anna.execute("odd", "/ask Null \u0000 and more?\n/say done");
  t.match(await openOf("anna", "odd"), { question: /^Null / });
});
