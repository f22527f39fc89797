/** What happens to a message whose task has a turn in flight. Without zod, for the console's page. */
export const WHEN_BUSY = ["reject", "queue", "steer"] as const;
export type WhenBusy = (typeof WHEN_BUSY)[number];
