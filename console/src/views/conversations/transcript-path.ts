/** The path of a conversation's transcript. */
export const transcriptPath = (engine: string, task: string): string =>
  `/engines/${engine}/conversations/${encodeURIComponent(task)}`;
