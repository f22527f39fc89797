/** The path of a conversation in the playground; of a new one if its task is left out. */
export const taskPath = (engine: string, task?: string): string =>
  `/engines/${engine}/playground${task === undefined ? "" : `?task=${encodeURIComponent(task)}`}`;
