import { randomBytes } from "node:crypto";

const SESSION_ID = /^orchd-([be])-[0-9a-f]{32}$/;

/**
 * Sessions of the revisions until 2025-11-25. Everything that is known of one is in its id, so it outlives sleep, restarts
 * and crashes of the engine, and nothing is stored. It is no proof of anything: each call has its key.
 */
export interface Session {
  readonly id: string;
  /** Whether the client can ask its user, by `elicitation/create` with a form. */
  readonly elicits: boolean;
}

export function newSession({ elicits }: Pick<Session, "elicits">): Session {
  return { id: `orchd-${elicits ? "e" : "b"}-${randomBytes(16).toString("hex")}`, elicits };
}

/** Null for an id that is not of an engine. */
export function readSession(id: string): Session | null {
  const match = SESSION_ID.exec(id);
  return match === null ? null : { id, elicits: match[1] === "e" };
}

/** Whether the capabilities of an `initialize` include forms. Without a mode they do: it is the first one there was. */
export function elicitsForms(capabilities: unknown): boolean {
  const { elicitation } = Object(capabilities) as { readonly elicitation?: unknown };
  if (typeof elicitation !== "object" || elicitation === null) return false;
  return "form" in elicitation || !("url" in elicitation);
}
