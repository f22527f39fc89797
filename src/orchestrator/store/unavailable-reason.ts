import { isDatabaseUnavailable } from "./database.ts";

/** By SQLSTATE or its class: the same call may succeed later. */
const REASONS: Readonly<Record<string, string>> = {
  "53100": "the database has no disk space left",
  "53200": "the database has no memory left",
  "53300": "the database takes no more connections",
  "53": "the database is out of resources",
  "57014": "the database took too long",
  "57P": "the database is restarting",
  "55P03": "the database is busy with other calls",
  "40001": "the database is busy with other calls",
  "40P01": "the database is busy with other calls",
  "25006": "the database takes no changes now",
};

/** Why a statement that was right could not be carried out now, in words for a client; null for other errors. */
export function unavailableReason(error: unknown): string | null {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  const reason = REASONS[code] ?? REASONS[code.slice(0, 3)] ?? REASONS[code.slice(0, 2)];
  // SQLSTATEs have five characters; `53…` of another length is none.
  if (reason !== undefined && code.length === 5) return reason;
  return isDatabaseUnavailable(error) ? "the database cannot be reached" : null;
}
