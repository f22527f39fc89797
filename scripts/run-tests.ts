/** Runs tests: `run-tests.ts short|long|all|changed [files and options of tap]`. The exit code is tap's. */
import { globSync } from "node:fs";
import { resolve } from "node:path";
import { execa } from "execa";
import { LONG_TESTS } from "./long-tests.ts";
import { type TestSelection, changedTests, longTests, shortTests } from "./select-tests.ts";

const root = resolve(import.meta.dirname, "..");
const [mode = "short", ...given] = process.argv.slice(2);
const isFile = (argument: string) => argument.endsWith(".test.ts");

const { files, skipped } = given.some(isFile) ? { files: given.filter(isFile), skipped: "" } : await selected();
process.stdout.write(skipped);
if (files.length > 0) {
  const { exitCode } = await execa("tap", ["run", ...given.filter((argument) => !isFile(argument)), ...files], {
    cwd: root,
    localDir: root,
    preferLocal: true,
    stdio: "inherit",
    reject: false,
  });
  process.stdout.write(skipped);
  process.exitCode = exitCode ?? 1;
}

async function selected(): Promise<TestSelection> {
  const all = globSync("test/**/*.test.ts", { cwd: root, exclude: ["test/fixtures/**"] }).sort();
  const unknown = [...LONG_TESTS].filter((file) => !all.includes(file));
  if (unknown.length > 0)
    throw new Error(`scripts/long-tests.ts names files that are not there: ${unknown.join(", ")}`);
  switch (mode) {
    case "short":
      return shortTests(all);
    case "long":
      return longTests(all);
    case "changed":
      return changedTests(all, await changedFiles());
    case "all":
      return { files: all, skipped: "" };
    default:
      throw new Error(`expected short, long, all or changed, got ${mode}`);
  }
}

/** Since the common ancestor with `main`, with what is not committed. */
async function changedFiles(): Promise<readonly string[]> {
  const git = async (...words: readonly string[]) =>
    (await execa("git", [...words], { cwd: root })).stdout.split("\n").filter((line) => line !== "");
  const [base = "HEAD"] = await git("merge-base", "HEAD", "main");
  return [...(await git("diff", "--name-only", base)), ...(await git("ls-files", "--others", "--exclude-standard"))];
}
