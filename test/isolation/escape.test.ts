import { existsSync } from "node:fs";
import t from "tap";
import { landlockAbi } from "../../src/shared/linux/landlock.ts";
import { ATTEMPTS } from "./attempts.ts";
import { ORDINARY_UID, attackedHost } from "./host.ts";

const { abi, problem } = landlockAbi();
const isRoot = process.getuid?.() === 0;
const python = existsSync("/usr/bin/python3") ? null : "the attempts need /usr/bin/python3";
const skip = python ?? problem ?? (abi < 6 ? `Landlock ABI ${abi} knows no signals` : false);

const USERS = [
  { who: "root", uid: undefined, spares: 2 },
  { who: "an ordinary user", uid: ORDINARY_UID, spares: 0 },
] as const;

for (const { who, uid, spares } of USERS) {
  t.test(
    `under a daemon of ${who}${spares > 0 ? ", with engines that were spares," : ""} no attempt leaves the sandbox`,
    { skip: skip || (!isRoot && "needs root") },
    async (t) => {
      const host = await attackedHost(t, { isolation: "require", spares, ...(uid !== undefined && { uid }) });
      for (const by of ["command", "server"] as const) {
        const results = await host.attempt(by);
        if (by === "command") t.comment(summary(results));
        for (const { name } of ATTEMPTS) t.notMatch(results[name], /ESCAPED/, `${name}, by a ${by}`);
        t.equal(Object.keys(results).length, ATTEMPTS.length);
        for (const engine of [host.alice, host.bob]) t.match(await engine.call("/health"), { status: 200 });
      }
      const hidden = "cp /bin/sleep hidden; chmod 111 hidden; (setsid ./hidden 600 > /dev/null 2>&1 &) ; sleep 0.2";
      const left = await host.alice.tool("run_command", { command: hidden });
      t.match(left, { note: "ended 1 background processes" }, "a program that may not be read is found");
    },
  );
}

t.test("without isolation the same attempts succeed", { skip: skip || (!isRoot && "needs root") }, async (t) => {
  const host = await attackedHost(t, { isolation: "off" });
  const results = await host.attempt("command");
  for (const { name, hostRefuses } of ATTEMPTS) if (!hostRefuses) t.match(results[name], /ESCAPED/, name);
});

/** Tried and refused, by part. */
function summary(results: Readonly<Record<string, string>>): string {
  const parts = Map.groupBy(ATTEMPTS, ({ part }) => part);
  const lines = [...parts].map(([part, attempts]) => {
    const refused = attempts.filter(({ name }) => !results[name]?.includes("ESCAPED"));
    return `${part}: ${attempts.length} tried, ${refused.length} refused`;
  });
  return lines.join("\n");
}
