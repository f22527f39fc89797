import type { Command } from "commander";
import { type CallContext, describeContext } from "./client-failure.ts";
import { CliFailure } from "./exit-codes.ts";
import { readLine } from "./terminal.ts";

interface ConfirmOptions {
  readonly yes: boolean;
  /** The subject of the change, for the error message. */
  readonly context: CallContext;
}

/** The options of a command that is {@link destructive}. */
export interface Destructive {
  readonly yes: boolean;
}

/**
 * The one rule for commands that delete what cannot be restored: they ask on a terminal, and need `--yes` without one.
 * Each of them calls {@link confirm} before it changes anything.
 */
export const destructive = (command: Command): Command =>
  command.option("-y, --yes", "do not ask; required without a terminal", false);

/** Asks a person whether to do what cannot be undone. A script needs `--yes`. */
export async function confirm(question: string, { yes, context }: ConfirmOptions): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY) {
    const reason = "this cannot be undone and without a terminal needs --yes";
    throw new CliFailure("usage", `nothing was changed: ${reason} (${describeContext(context)})`);
  }
  const reply = await readLine({ prompt: `${question} [y/N] ` });
  if (reply.kind === "line" && /^y(es)?$/i.test(reply.text.trim())) return;
  const exit = reply.kind === "interrupted" ? "interrupted" : "usage";
  throw new CliFailure(exit, `nothing was changed (${describeContext(context)})`);
}
