import { button, edit, element, isEdited } from "./elements.js";

/** The list of conversations. It lives: each change of a task is an event. */
export function createList({ engine, place, attempt, onChange }) {
  const tasks = new Map();
  let isFollowing = false;

  const draw = () => {
    if (isEdited(place)) return;
    const latestFirst = [...tasks.values()].sort((a, b) => b.last_active_at.localeCompare(a.last_active_at));
    place.replaceChildren(...latestFirst.map(row));
  };

  const row = (task) => {
    const { task_id: id, title, state } = task;
    const link = element("a", { href: `#${encodeURIComponent(id)}`, textContent: title });
    if (link.hash === location.hash) link.ariaCurrent = "page";
    const item = element("li", {}, link, element("span", { className: "state", textContent: state }));
    const rename = () =>
      edit(item, title, {
        label: "Title",
        save: (text) => attempt(() => engine.changeTask(id, { title: text })),
        close: draw,
      });
    item.append(
      button("Rename", rename),
      button("Archive", () => attempt(() => engine.changeTask(id, { archived: true }))),
    );
    return item;
  };

  return {
    draw,
    stateOf: (taskId) => tasks.get(taskId)?.state ?? "idle",
    /** Reads the list until the engine sleeps. A list that was read to its end is read again with the next message. */
    async follow() {
      if (isFollowing) return;
      isFollowing = true;
      tasks.clear();
      await attempt(async () => {
        for await (const { event, data } of engine.followTasks()) {
          if (event === "task") tasks.set(data.task_id, data);
          if (event === "task_removed") tasks.delete(data.task_id);
          draw();
          if (event === "task") onChange(data);
        }
      });
      isFollowing = false;
    },
  };
}
