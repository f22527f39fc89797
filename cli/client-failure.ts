import { OrchdError } from "../src/client/orchd-error.ts";
import { adviceFor } from "./advice.ts";
import { CliFailure, type ExitName, exitOfStatus } from "./exit-codes.ts";
import { safe } from "./output.ts";

const EXITS: Readonly<Record<string, ExitName>> = {
  LLM_RATE_LIMITED: "limited",
  CANCELLED: "interrupted",
  CHANNEL_EXPIRED: "timeout",
  TIMEOUT: "timeout",
  INVALID_ARGUMENT: "usage",
  BAD_ANSWER: "unexpected",
};

/** What the client throws, as the command line's own failure, with `where` it was; anything else stays what it is. */
export function cliFailure(error: unknown, where?: { readonly user: string; readonly url: string }): unknown {
  if (!(error instanceof OrchdError)) return error;
  const { code, status, message } = error;
  const exit = EXITS[code] ?? (status === null ? "unavailable" : exitOfStatus(status));
  if (where === undefined) return new CliFailure(exit, `${message} (${code})`, code);
  const user = safe(where.user);
  return new CliFailure(exit, `${message} (${code}, user ${user}, ${where.url})`, code, adviceFor(code, { user }));
}
