/**
 * The protocol's ids follow from those of the engine, so that an event has the same id whenever and wherever it is read:
 * a session is a task, an agent has its name, and an event has its turn's id and what it is within the turn.
 */
export const eventId = (turnId: string, what: string): string => `${turnId}.${what}`;

/** What an event of a turn is within it. Null for a text that is no such id. */
export function readEventId(id: string): { readonly turnId: string; readonly what: string } | null {
  const [, turnId, what] = /^(turn_[^.]{1,100})\.(.{1,300})$/s.exec(id) ?? [];
  return turnId === undefined || what === undefined ? null : { turnId, what };
}

/** A file has its path in the workspace. */
export const fileId = (path: string): string => `file_${Buffer.from(path).toString("base64url")}`;

/** Null for a text that is no id of a file. */
export function pathOfFile(id: string): string | null {
  const [, encoded] = /^file_([\w-]{1,8192})$/.exec(id) ?? [];
  if (encoded === undefined) return null;
  const path = Buffer.from(encoded, "base64url").toString();
  return fileId(path) === id ? path : null;
}
