import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Command } from "commander";
import t from "tap";
import { createProgram } from "../../cli/program.ts";
import { readSettings } from "../../cli/settings.ts";
import { addShortForms } from "../../cli/short-forms.ts";
import { manPage } from "../../scripts/man-page.ts";
import { VERSION } from "../../src/shared/version.ts";
import { orchctlFor } from "../helpers/orchctl.ts";

const file = resolve(import.meta.dirname, "../../dist/man/orchctl.1");
const program = createProgram(readSettings("/"), () => undefined);
const shortForms = addShortForms(new Command(), readSettings("/"));

/** What a reader sees: roff writes a hyphen with a backslash. */
const shown = (roff: string) => roff.replaceAll("\\-", "-").replaceAll("\\e", "\\").replaceAll("\\&", "");

const leaves = (command: Command, path: string): readonly (readonly [string, Command])[] =>
  command.commands.length === 0
    ? [[path, command]]
    : command.commands.flatMap((child) => leaves(child, `${path} ${child.name()}`));

t.test("the built manual is that of the commands", async (t) => {
  t.equal(readFileSync(file, "utf8"), manPage({ program, version: VERSION, shortForms }));
});

t.test("every command, option and exit code is in the manual", async (t) => {
  const text = shown(readFileSync(file, "utf8"));
  const missing = leaves(program, "orchctl").flatMap(([path, command]) => {
    if (command.parent === program && (shortForms.has(command.name()) || command.name() === "help")) return [];
    const from = text.indexOf(`.SS ${path}`);
    const section = text.slice(from, text.indexOf("\n.S", from + 1));
    if (from === -1) return [path];
    return command.options
      .filter(({ flags }) => !section.includes(`.B ${flags}\n`))
      .map(({ flags }) => `${path} ${flags}`);
  });
  t.same(missing, []);
  for (const [short, full] of shortForms) t.match(text, `.B orchctl ${short}\norchctl ${full}`);
});

t.test("it is valid roff", { skip: spawnSync("groff", ["--version"]).status !== 0 && "needs groff" }, async (t) => {
  const ran = spawnSync("groff", ["-man", "-Tutf8", "-ww", "-z", file], { encoding: "utf8" });
  t.same({ status: ran.status, stderr: ran.stderr }, { status: 0, stderr: "" });
});

t.test("help of a command is its --help", async (t) => {
  const orchctl = orchctlFor(t, { url: "http://127.0.0.1:1" });
  for (const words of [["doctor"], ["engines", "stop"], ["engines"]]) {
    const help = await orchctl(["help", ...words]);
    t.equal(help.stdout, (await orchctl([...words, "--help"])).stdout);
    t.equal(help.code, 0);
  }
  const unknown = await orchctl(["help", "engines", "fly"]);
  t.equal(unknown.code, 2);
  t.match(unknown.stderr, "orchctl: engines has no command fly\n(orchctl help lists the commands)");
});
