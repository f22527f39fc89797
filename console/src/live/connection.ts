import { signal } from "@preact/signals";

export type Connection = "connecting" | "live" | "lost";

/** Whether events arrive now. */
export const connection = signal<Connection>("connecting");

/** Counts the connections: what was read before the newest one may be out of date. */
export const epoch = signal(0);
