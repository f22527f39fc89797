import { existsSync } from "node:fs";
import type { Test } from "tap";
import { landlockAbi } from "../../src/sandbox/landlock/landlock.ts";
import { ATTEMPTS } from "./attempts.ts";
import { attackedHost } from "./host.ts";

const { abi, problem } = landlockAbi();
const python = existsSync("/usr/bin/python3") ? null : "the attempts need /usr/bin/python3";

/** As an option of a test: why no attempt can be made here, or false. */
export const withAttempts = {
  skip:
    python ??
    problem ??
    (abi < 6 ? `Landlock ABI ${abi} knows no signals` : process.getuid?.() === 0 ? false : "needs root"),
};

/** Makes every attempt under a daemon of this user (default: root), whose engines were spares. */
export async function noAttemptEscapes(
  t: Test,
  { uid, by: programs }: { readonly uid?: number; readonly by: readonly ("command" | "server")[] },
): Promise<void> {
  const host = await attackedHost(t, { isolation: "require", spares: 2, ...(uid !== undefined && { uid }) });
  for (const by of programs) {
    const results = await host.attempt(by);
    if (by === "command") t.comment(summary(results));
    for (const { name } of ATTEMPTS) t.notMatch(results[name], /ESCAPED/, `${name}, by a ${by}`);
    t.equal(Object.keys(results).length, ATTEMPTS.length);
    for (const engine of [host.alice, host.bob]) t.match(await engine.call("/health"), { status: 200 });
  }
  const hidden = "cp /bin/sleep hidden; chmod 111 hidden; (setsid ./hidden 600 > /dev/null 2>&1 &) ; sleep 0.2";
  const left = await host.alice.tool("run_command", { command: hidden });
  t.match(left, { note: "ended 1 background processes" }, "a program that may not be read is found");
}

/** Tried and refused, by part. */
function summary(results: Readonly<Record<string, string>>): string {
  const parts = Map.groupBy(ATTEMPTS, ({ part }) => part);
  const lines = [...parts].map(([part, attempts]) => {
    const refused = attempts.filter(({ name }) => !results[name]?.includes("ESCAPED"));
    return `${part}: ${attempts.length} tried, ${refused.length} refused`;
  });
  return lines.join("\n");
}
