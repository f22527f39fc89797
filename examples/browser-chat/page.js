import { forgetProblem, inBackground } from "./attempt.js";
import { createUserClient } from "./client.js";
import { createConversation } from "./conversation.js";
import { createList } from "./list.js";
import { locationTools } from "./location.js";
import { createWaiting } from "./waiting.js";

/** The engine of the user who is signed in, at another origin than the page. */
const engine = createUserClient({
  url: document.querySelector("meta[name=agent-url]").content,
  limits: { retryBusy: false },
  async getToken() {
    const response = await fetch("token", { method: "POST" });
    const { token, error } = await response.json();
    if (!response.ok) throw new Error(error);
    return token;
  },
});

const byId = (id) => document.getElementById(id);
const [form, message, queue, stop] = ["composer", "message", "queue", "stop"].map(byId);

const taskId = () => decodeURIComponent(location.hash.slice(1));

const conversation = createConversation({
  engine,
  place: byId("conversation"),
  clientTools: locationTools,
  waiting: createWaiting({ engine, place: byId("waiting"), clientTools: locationTools }),
  onBusy(isBusy) {
    stop.disabled = !isBusy;
    queue.disabled = !isBusy;
    byId("send").textContent = isBusy ? "Steer" : "Send";
    document.body.classList.toggle("busy", isBusy);
    if (isBusy) inBackground(tasks.follow);
  },
});

const tasks = createList({
  engine,
  place: byId("list"),
  onChange: (task) => task.task_id === taskId() && inBackground(conversation.sync),
});

/** What is typed during an answer enters the running turn with `steer`, and waits for its end with `queue`. */
async function send(whenBusy) {
  const text = message.value.trim();
  if (text === "") return;
  message.value = "";
  forgetProblem();
  const isSent = await conversation.send(text, whenBusy);
  if (!isSent && message.value === "") message.value = text;
}

/** The address names the conversation, so that a reload and the back button show it. */
async function open() {
  if (location.hash === "") history.replaceState(null, "", `#${crypto.randomUUID()}`);
  forgetProblem();
  tasks.draw();
  message.focus();
  await conversation.open(taskId());
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  inBackground(() => send("steer"));
});
message.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  inBackground(() => send(event.altKey ? "queue" : "steer"));
});
queue.addEventListener("click", () => inBackground(() => send("queue")));
stop.addEventListener("click", () => inBackground(conversation.stop));
byId("new").addEventListener("click", () => (location.hash = crypto.randomUUID()));
window.addEventListener("hashchange", () => inBackground(open));
inBackground(tasks.follow);
inBackground(open);
