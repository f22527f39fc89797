import { ask } from "../../helpers/api.ts";

/** The tasks whose turn an engine has stored as completed, once for each time. */
export async function completedTasks({ url, key }: { readonly url: string; readonly key: string }): Promise<string[]> {
  const tasks: string[] = [];
  for (let after = ""; ;) {
    const path = `/execute/replay?limit=10000${after === "" ? "" : `&after=${after}`}`;
    const { body } = await ask(url, path, { headers: { "x-engine-key": key } });
    const events: readonly { readonly data: { readonly task_id: string; readonly phase?: string } }[] = body.events;
    tasks.push(...events.filter(({ data }) => data.phase === "completed").map(({ data }) => data.task_id));
    if (events.length === 0 || body.next_after === null) return tasks;
    after = String(body.next_after);
  }
}
