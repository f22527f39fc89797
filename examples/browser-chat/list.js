import { attempt, inBackground } from "./attempt.js";
import { button, edit, element, isEdited } from "./elements.js";

/** The list of conversations. It lives: each change of a task is an event. */
export function createList({ engine, place, onChange }) {
  const tasks = new Map();
  /** Rows by the ids of their tasks. They stay the same elements, so that a change does not take one from under a click. */
  const rows = new Map();
  let isFollowing = false;

  const draw = () => {
    if (isEdited(place)) return;
    const latestFirst = [...tasks.values()].sort((a, b) => b.last_active_at.localeCompare(a.last_active_at));
    const items = latestFirst.map(row);
    if (items.length !== place.children.length || items.some((item, index) => item !== place.children[index]))
      place.replaceChildren(...items);
  };

  const row = ({ task_id: id, title, state }) => {
    const { item, link, shownState } = rows.get(id) ?? newRow(id);
    link.textContent = title;
    link.ariaCurrent = link.hash === location.hash ? "page" : null;
    shownState.textContent = state;
    return item;
  };

  const newRow = (id) => {
    const link = element("a", { href: `#${encodeURIComponent(id)}` });
    const shownState = element("span", { className: "state" });
    const change = async (changes) => {
      await attempt(() => engine.changeTask(id, changes));
      inBackground(follow);
    };
    const close = () => {
      rows.delete(id);
      draw();
    };
    const rename = () =>
      edit(item, link.textContent, { label: "Title", save: (text) => change({ title: text }), close });
    const archive = () => change({ archived: true });
    const item = element("li", {}, link, shownState, button("Rename", rename), button("Archive", archive));
    const made = { item, link, shownState };
    rows.set(id, made);
    return made;
  };

  /** Reads the list until the engine sleeps. What wakes the engine, such as a message, reads it again. */
  async function follow() {
    if (isFollowing) return;
    isFollowing = true;
    tasks.clear();
    try {
      for await (const { event, data } of engine.followTasks()) {
        if (event === "task") tasks.set(data.task_id, data);
        if (event === "task_removed") tasks.delete(data.task_id);
        draw();
        if (event === "task") onChange(data);
      }
    } finally {
      isFollowing = false;
    }
  }

  return { draw, follow };
}
