import { CliFailure } from "../exit-codes.ts";
import type { Printer } from "../output.ts";

/** One idempotent change of the system. */
export interface Step {
  /** An imperative, such as `link /usr/local/bin/orchctl`. */
  readonly what: string;
  readonly isDone: () => Promise<boolean>;
  /** Resolves with a note for the report, if any. */
  readonly run: () => Promise<string | void>;
}

/** A step that is run each time, since no lasting result shows that it is done. */
export const always = (what: string, run: Step["run"]): Step => ({
  what,
  isDone: () => Promise.resolve(false),
  run,
});

/** Prints the steps, and runs them with `yes`. Throws at the first failure and names the completed steps. */
export async function runSteps(
  steps: readonly Step[],
  { yes, print }: { readonly yes: boolean; readonly print: Pick<Printer, "line" | "record" | "json" | "note"> },
): Promise<void> {
  const report = (result: "would" | "done" | "unchanged", what: string) =>
    print.json ? print.record({ result, step: what }) : print.line(`${result.padEnd(9)}  ${what}`);
  const done: string[] = [];
  for (const { what, isDone, run } of steps) {
    if (await isDone()) {
      report("unchanged", what);
      continue;
    }
    if (!yes) {
      report("would", what);
      continue;
    }
    try {
      const result = await run();
      done.push(result === undefined ? what : `${what}: ${result}`);
    } catch (error) {
      throw stepFailure(what, done, error);
    }
    report("done", done.at(-1) ?? what);
  }
  if (!yes) print.note("Nothing was changed. The same command with --yes does it.");
}

function stepFailure(what: string, done: readonly string[], error: unknown): CliFailure {
  const reason = error instanceof Error ? error.message : String(error);
  const before = done.length === 0 ? "nothing was changed before" : `done before: ${done.join("; ")}`;
  const exit = error instanceof CliFailure ? error.exit : "unexpected";
  const own = error instanceof CliFailure ? error.advice : undefined;
  const advice = "the same command continues from there when the cause is removed";
  return new CliFailure(exit, `failed to ${what}: ${reason} (${before})`, null, own ?? advice);
}
