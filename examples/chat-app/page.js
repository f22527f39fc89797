import { createEngineClient } from "./client.js";
import { createConversation } from "./conversation.js";
import { createList } from "./list.js";

/** The backend puts the engine's key in the place of this one. */
const engine = createEngineClient({
  url: `${location.origin}/engine`,
  key: "of-the-backend",
  limits: { retryBusy: false },
});

const [place, list, form, message, stop, problem] = [
  "conversation",
  "list",
  "composer",
  "message",
  "stop",
  "problem",
].map((id) => document.getElementById(id));

/** What a call returns. A failed one is shown, and returns nothing. */
async function attempt(call) {
  try {
    const result = await call();
    problem.textContent = "";
    return result;
  } catch (error) {
    if (error.name !== "AbortError") problem.textContent = error.message;
    return undefined;
  }
}

const taskId = () => decodeURIComponent(location.hash.slice(1));

const conversation = createConversation({
  engine,
  place,
  attempt,
  onBusy(isBusy) {
    stop.disabled = !isBusy;
    document.body.classList.toggle("busy", isBusy);
  },
});

const tasks = createList({
  engine,
  place: list,
  attempt,
  onChange: (task) => task.task_id === taskId() && conversation.sync(),
});

async function send() {
  const text = message.value.trim();
  if (text === "") return;
  message.value = "";
  inBackground(tasks.follow());
  const isSent = await conversation.send(text);
  if (!isSent && message.value === "") message.value = text;
}

/** The address names the conversation, so that a reload and the back button show it. */
async function open() {
  if (location.hash === "") history.replaceState(null, "", `#${crypto.randomUUID()}`);
  tasks.draw();
  message.focus();
  await conversation.open(taskId());
}

const inBackground = (promise) => {
  promise.catch((error) => (problem.textContent = error.message));
};

form.addEventListener("submit", (event) => {
  event.preventDefault();
  inBackground(send());
});
message.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  form.requestSubmit();
});
stop.addEventListener("click", conversation.stop);
document.getElementById("new").addEventListener("click", () => (location.hash = crypto.randomUUID()));
window.addEventListener("hashchange", () => inBackground(open()));
inBackground(tasks.follow());
inBackground(open());
