import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { type SecretSources, readSource, sourceProblem } from "../../../src/orchestrator/secrets/read-source.ts";
import { freshFolder } from "../../helpers/folder.ts";

const folder = freshFolder(t);
writeFileSync(join(folder, "github"), "value-of-the-file\n");
writeFileSync(join(folder, "long"), "x".repeat(10_000));
writeFileSync(join(folder, "lines"), "first line\nsecond line");
mkdirSync(join(folder, "folder"));
const program = join(folder, "print");
writeFileSync(
  program,
  `#!/bin/sh
case "$2" in
  ok) echo "value-of-$1-$FOR_THE_COMMAND" ;;
  environment) env ;;
  fails) echo value-on-stdout; echo value-on-stderr >&2; exit 3 ;;
  endless) yes value ;;
  killed) kill -9 $$ ;;
esac
`,
  { mode: 0o700 },
);
const sources: SecretSources = {
  variables: { GITHUB: "value-of-the-variable" },
  folder,
  command: [program, "first"],
  environment: { FOR_THE_COMMAND: "environment", PATH: "/usr/bin:/bin" },
};

t.test("a value is read from a variable, a file and a command", async (t) => {
  t.equal(await readSource(sources, "env:GITHUB"), "value-of-the-variable");
  t.equal(await readSource(sources, "file:github"), "value-of-the-file");
  t.equal(await readSource(sources, "command:ok"), "value-of-first-environment");
});

t.test("what cannot be read is refused with a reason that contains nothing of it", async (t) => {
  const cases: Readonly<Record<string, RegExp>> = {
    "env:OTHER": /SECRET_VALUE_OTHER/,
    "file:missing": /ENOENT/,
    "file:folder": /EISDIR/,
    "file:long": /8192/,
    "file:lines": /printable/,
    "command:fails": /exit code 3/,
    "command:killed": /SIGKILL/,
    "command:endless": /more than 8192 bytes/,
    "command:nothing": /printable/,
  };
  for (const [from, reason] of Object.entries(cases)) {
    const error = await readSource(sources, from).then(
      () => new Error("it was read"),
      (failed: Error) => failed,
    );
    t.match(error.message, reason, from);
    t.notMatch(error.message, "value-on");
  }
});

t.test("a product's secret cannot be another file of the host, or an option of the command", (t) => {
  for (const from of [
    "file:../secret-key",
    "file:/etc/shadow",
    "file:.",
    "file:..",
    "command:-c",
    "env:ORCH_ADMIN_KEY",
  ])
    t.not(sourceProblem(sources, from), null, from);
  const none = { ...sources, folder: null, command: null };
  t.match(sourceProblem(none, "file:github"), "ORCH_SECRETS_DIR");
  t.match(sourceProblem(none, "command:ok"), "ORCH_SECRETS_COMMAND");
  t.end();
});
