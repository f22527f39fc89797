/** What a token of an end user permits, and what each scope is for. */
export const SCOPES = {
  turns: "Send messages, read and cancel turns.",
  answers: "Answer questions, permission prompts and calls of the client's tools.",
  "tasks:read": "List, search and read conversations.",
  "tasks:write": "Rename, archive, fork, rewind and delete conversations.",
  "files:read": "List and read the files of the workspace.",
  "files:write": "Write, move and delete files of the workspace.",
  connections: "List, begin and end the user's logins at tool servers.",
  "memory:read": "List, search and export what the engine remembers, with the profile.",
  "memory:erase": "End facts, correct the profile, and erase the memory.",
} as const satisfies Record<string, string>;
export type Scope = keyof typeof SCOPES;

/** Scopes that stand for several. */
const GROUPS: ReadonlyMap<string, readonly Scope[]> = new Map([
  ["tasks", ["tasks:read", "tasks:write"]],
  ["files", ["files:read", "files:write"]],
]);
export const DEFAULT_SCOPE = "turns tasks files answers";
/** Of a token for some tasks, which permits nothing that all tasks share. */
export const DEFAULT_BOUND_SCOPE = "turns tasks answers";
const SHARED: readonly Scope[] = ["files:read", "files:write", "connections", "memory:read", "memory:erase"];
const MAX_SCOPE = 256;

/** The scopes of a list separated by spaces. Null when it has another word. */
export function readScopes(text: string): ReadonlySet<Scope> | null {
  if (text.length > MAX_SCOPE) return null;
  const names = text.split(" ").filter((name) => name !== "");
  const known = names.map((name) => GROUPS.get(name) ?? (Object.hasOwn(SCOPES, name) ? [name as Scope] : null));
  return known.includes(null) ? null : new Set(known.flatMap((scopes) => scopes ?? []));
}

/** The scopes that reach what all tasks share. */
export const sharedScopes = (scopes: ReadonlySet<Scope>): readonly Scope[] => SHARED.filter((one) => scopes.has(one));

export const SCOPE_NAMES = [...GROUPS.keys(), ...Object.keys(SCOPES)];
