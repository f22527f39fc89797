import t from "tap";
import { setTimeout as sleep } from "node:timers/promises";
import { type Conversation, Walk } from "./parts/conversation-walk.ts";
import { LONG } from "./parts/long.ts";
import { Random } from "./parts/random.ts";
import { report } from "./parts/report.ts";

const STEPS = LONG ? 10_000 : 150;
const CONVERSATIONS = 3;
/** Steps of a conversation before the next one takes its place: no long one is compacted. */
const STEPS_EACH = 60;

t.setTimeout(LONG ? 7_200_000 : 120_000);

/** What turns do, as the sandbox model is told. */
const WORK = ["", "/slow 20", "/stream 40 400", "/tool list_files {}", "/ask Well?", "/fail silent", "/fail provider"];

const CLIENT_TOOLS = [{ name: "get_location", description: "Where the user is", input_schema: { type: "object" } }];

type Command = (walk: Walk, conversation: Conversation) => Promise<void>;

const waitingOf = async (walk: Walk, { taskId, sent }: Conversation) => {
  const { body } = await walk.call(`/tasks/${taskId}/inbox`);
  const ids: readonly string[] = body.messages.map(({ message_id }: { message_id: string }) => message_id);
  return sent.filter(({ id }) => ids.includes(id));
};

const messagesOf = async (walk: Walk, taskId: string) => {
  const { status, body } = await walk.call(`/tasks/${taskId}/messages?limit=200`);
  return status === 200 ? (body.items as readonly { message_id: string; role: string }[]) : [];
};

/** Each command, and how often it comes. A later one is a row of its own. */
const COMMANDS: readonly (readonly [weight: number, command: Command])[] = [
  [2, (walk, to) => walk.send(to, walk.random.pick(WORK), { when_busy: "reject" })],
  [6, (walk, to) => walk.send(to, walk.random.pick(WORK), { when_busy: "queue" })],
  [4, (walk, to) => walk.send(to, walk.random.pick(WORK), { when_busy: "steer" })],
  [4, (walk, to) => walk.send(to, walk.random.pick(WORK), { when_busy: "steer", interrupt: true })],
  [
    2,
    async (walk, to) => {
      const [message] = await waitingOf(walk, to);
      if (message === undefined) return;
      const text = `/say ${message.id} edited`;
      const path = `/tasks/${to.taskId}/inbox/${message.id}`;
      message.texts = [...message.texts, text];
      const { status } = await walk.call(path, { method: "PATCH", body: { message: text } });
      if (status === 200) message.texts = [text];
    },
  ],
  [
    2,
    async (walk, to) => {
      const message = (await waitingOf(walk, to)).at(-1);
      if (message === undefined) return;
      message.isRemoved = true;
      const { status } = await walk.call(`/tasks/${to.taskId}/inbox/${message.id}`, { method: "DELETE" });
      if (status === 409) message.isRemoved = false;
    },
  ],
  [
    3,
    async (walk, { taskId }) => {
      await walk.call("/execute/cancel", { method: "POST", body: { task_id: taskId } });
    },
  ],
  [
    1,
    async (walk, to) => {
      for (const message of await waitingOf(walk, to)) message.isRemoved = true;
      await walk.call("/execute/cancel", { method: "POST", body: { task_id: to.taskId, inbox: true } });
    },
  ],
  [
    2,
    async (walk, { taskId }) => {
      const messages = await messagesOf(walk, taskId);
      if (messages.length === 0) return;
      const { message_id: to_message } = walk.random.pick(messages);
      const body = { to_message, keep: walk.random.chance(0.5) };
      const { status } = await walk.call(`/tasks/${taskId}/rewind`, { method: "POST", body });
      // 404: the call was repeated, and the first one has left the message.
      if (![200, 404, 409].includes(status)) throw new Error(`${status} for a rewind`);
    },
  ],
  [
    2,
    async (walk, { taskId }) => {
      const [last] = (await messagesOf(walk, taskId)).slice(-1);
      if (last === undefined) return;
      const fork = `fork-${walk.newId()}`;
      const body = { task_id: fork, after_message: last.message_id };
      const { status } = await walk.call(`/tasks/${taskId}/fork`, { method: "POST", body });
      const copied = (await messagesOf(walk, fork)).at(-1);
      if (copied !== undefined && copied.message_id !== last.message_id) throw new Error(`${fork} ends elsewhere`);
      // 409: the message belongs to a turn in flight, or the call was repeated.
      if (![200, 404, 409].includes(status)) throw new Error(`${status} for a fork`);
      if (walk.random.chance(0.5)) await walk.call(`/tasks/${fork}`, { method: "DELETE" });
    },
  ],
  // A message is edited and sent again.
  [
    1,
    async (walk, to) => {
      const asked = (await messagesOf(walk, to.taskId)).findLast(({ role }) => role === "user");
      if (asked === undefined) return;
      const body = { to_message: asked.message_id, keep: false };
      const { status } = await walk.call(`/tasks/${to.taskId}/rewind`, { method: "POST", body });
      if (status !== 409) await walk.send(to, walk.random.pick(WORK), { when_busy: "queue" });
    },
  ],
  // The last message is answered again.
  [
    1,
    async (walk, to) => {
      const { taskId } = to;
      const asked = (await messagesOf(walk, taskId)).findLast(({ role }) => role === "user");
      if (asked === undefined) return;
      to.isRegenerated = true;
      const body = { to_message: asked.message_id };
      const { status } = await walk.call(`/tasks/${taskId}/rewind`, { method: "POST", body });
      // 400: the conversation does not end with a message of the user, for the call before was repeated.
      if (status === 200 && ![200, 400, 409].includes(await walk.regenerate(taskId)))
        throw new Error(`${status} for a regenerate`);
    },
  ],
  [
    1,
    async (walk, { taskId, sent }) => {
      const forget = walk.random.chance(0.5);
      const { status } = await walk.call(`/tasks/${taskId}?forget=${forget}`, { method: "DELETE" });
      // Nothing of it is known any more, not even which messages were sent.
      if (status === 200 || status === 404) sent.length = 0;
      else if (status !== 409) throw new Error(`${status} for a deletion`);
    },
  ],
  [2, (walk, to) => walk.send(to, "/tool get_location {}", { when_busy: "queue", client_tools: CLIENT_TOOLS })],
  [3, (walk) => walk.answerCalls()],
  [3, (walk) => walk.answerQuestions()],
  [1, (walk) => walk.restart("SIGTERM")],
  [2, (walk) => sleep(walk.random.below(60))],
];
const DECK = COMMANDS.flatMap(([weight, command]) => Array.from({ length: weight }, () => command));

t.test("whatever is sent and whenever the engine is killed, each message is taken once and in order", async (t) => {
  const random = new Random();
  t.comment(`ORCHD_SEED=${random.seed}`);
  const walk = await Walk.open(t, random);
  let started = 0;
  const begin = (): Conversation & { steps: number } => ({
    taskId: `t${++started}`,
    sent: [],
    isRegenerated: false,
    steps: 0,
  });
  const open = Array.from({ length: CONVERSATIONS }, begin);
  const finish = async (conversation: Conversation) => {
    await walk.settle(conversation);
    const problems = await walk.problemsOf(conversation);
    t.same(problems, [], `${conversation.taskId}: ${conversation.sent.length} messages, ${walk.kills} kills`);
    return problems.length === 0;
  };
  for (let step = 0; step < STEPS; step++) {
    const at = random.below(CONVERSATIONS);
    const conversation = open[at] ?? begin();
    await random.pick(DECK)(walk, conversation);
    if (++conversation.steps < STEPS_EACH) continue;
    if (!(await finish(conversation))) return;
    open[at] = begin();
  }
  for (const conversation of open) await finish(conversation);
  report(t, { steps: STEPS, conversations: started, "engines killed": walk.kills });
});
