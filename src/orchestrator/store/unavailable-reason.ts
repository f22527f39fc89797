import { errorCode } from "../../shared/error-code.ts";
import { isDatabaseUnavailable } from "./database.ts";

/** By SQLSTATE or its class: errors after which the same call may succeed later. */
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
  "25P03": "the daemon was stalled",
  OR001: "another orchd leads this host now",
  "25006": "the database is read-only now",
};

/** Why the database could not execute a valid statement now, as a text for clients. Null for other errors. */
export function unavailableReason(error: unknown): string | null {
  const code = errorCode(error);
  const reason = REASONS[code] ?? REASONS[code.slice(0, 3)] ?? REASONS[code.slice(0, 2)];
  // A SQLSTATE has five characters.
  if (reason !== undefined && code.length === 5) return reason;
  if (isPoolExhausted(error)) return "orchd's database connections are all in use";
  return isDatabaseUnavailable(error) ? "the database cannot be reached" : null;
}

/** The pool sets no code. An attempt to connect that takes too long has another message. */
const isPoolExhausted = (error: unknown): boolean =>
  error instanceof Error && error.message === "timeout exceeded when trying to connect";
