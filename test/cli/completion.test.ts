import { spawnSync } from "node:child_process";
import t from "tap";
import { orchctlFor } from "../helpers/orchctl.ts";

const nowhere = { url: "http://127.0.0.1:1" };
const bash = (script: string) => spawnSync("bash", ["--norc", "-c", script], { encoding: "utf8", timeout: 30_000 });

t.test("the scripts of bash and zsh are sound shell, and another shell is refused", async (t) => {
  const orchctl = orchctlFor(t, nowhere);
  for (const shell of ["bash", "zsh"]) {
    const { stdout } = await orchctl(["completion", shell]);
    // zsh's own first lines are the only ones that bash does not know.
    const checked = spawnSync("bash", ["-n"], { input: stdout.replaceAll(/^\(\(.*$/gm, ""), encoding: "utf8" });
    t.equal(checked.stderr, "", shell);
    t.equal(checked.status, 0);
  }
  t.equal((await orchctl(["completion", "tcsh"])).code, 2);
});

t.test("bash offers what may follow: groups, verbs, and options behind arguments", async (t) => {
  const { stdout: script } = await orchctlFor(t, nowhere)(["completion", "bash"]);
  const offered = (...words: string[]) => {
    const line = words.map((word) => `'${word}'`).join(" ");
    const ran = bash(
      `${script}\nCOMP_WORDS=(orchctl ${line}); COMP_CWORD=${words.length}; _orchctl; printf '%s\\n' "\${COMPREPLY[@]}"`,
    );
    t.equal(ran.stderr, "");
    return ran.stdout.trim().split("\n");
  };
  t.same(offered("e"), ["engines", "events"]);
  t.same(offered("rot"), ["rotate"]);
  t.same(offered("p"), ["provision", "ps", "products", "plans", "prices"]);
  t.same(offered("audit", "v"), ["verify"]);
  t.same(offered("events", "alice", "--ty"), ["--type"]);
  t.same(offered("engines", "st"), ["start", "stop"]);
  t.same(offered("engines", "stop", "alice", "--d"), ["--drain"]);
  t.same(offered("--product", "engines", "prod"), ["products"], "an option's value is no command");
  t.same(offered("engines", "stop", "alice", "--js"), ["--json"], "options of the program go anywhere");
  t.same(offered("completion", "--he"), ["--help"]);
});

t.test("fish gets one line for each command and option, its quotes closed", async (t) => {
  const { stdout } = await orchctlFor(t, nowhere)(["completion", "fish"]);
  const lines = stdout.trim().split("\n");
  t.ok(lines.length > 100);
  const unsound = (line: string) =>
    !line.startsWith("complete -c orchctl ") || line.replaceAll("\\'", "").split("'").length % 2 !== 1;
  t.same(lines.filter(unsound), []);
  t.ok(
    lines.includes(
      "complete -c orchctl -n '__fish_use_subcommand' -a engines -d 'Provision, start, stop and inspect engines'",
    ),
  );
});
