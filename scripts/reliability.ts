/**
 * `npm run reliability [-- NAME... [-- OPTION...]]`: runs the long runs of test/faults/long-runs.ts whole, one after the
 * other, and keeps what each reported in test/faults/results. `npm run generate` makes the table of docs/reliability.md from it. Two at
 * once need a checkout each, because tap keeps what a run has covered in the checkout.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { execa } from "execa";
import { LONG_RUNS, type LongRun, type RunResult } from "../test/faults/long-runs.ts";
import type { Figures } from "../test/faults/parts/report.ts";
import { resultFile } from "./reliability-rows.ts";

const root = resolve(import.meta.dirname, "..");
/** A run that takes longer has failed. */
const LONGEST_S = 14_400;

/** Files that runs write, or that are made from those. */
const RESULTS = [":!test/faults/results", ":!docs/reliability.md", ":!test/sim/found.json"];

const given = process.argv.slice(2);
const separator = given.indexOf("--");
const wanted = separator < 0 ? given : given.slice(0, separator);
/** For the programs of the runs, such as `--seeds 1000`. */
const options = separator < 0 ? [] : given.slice(separator + 1);
const unknown = wanted.filter((name) => !(name in LONG_RUNS));
if (unknown.length > 0) {
  process.stderr.write(`no such run: ${unknown.join(", ")}; there are ${Object.keys(LONG_RUNS).join(", ")}\n`);
  process.exitCode = 2;
} else
  for (const [name, run] of Object.entries(LONG_RUNS)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const result = await resultOf(run);
    mkdirSync(dirname(resultFile(name)), { recursive: true });
    writeFileSync(resultFile(name), `${JSON.stringify(result, null, 2)}\n`);
    process.stdout.write(`${name}: ${result.held ? "held" : "BROKEN"}, ${result.seconds} s\n`);
    if (!result.held) process.exitCode = 1;
  }

async function resultOf({ command, env, none = [] }: LongRun): Promise<RunResult> {
  const folder = mkdtempSync(join(tmpdir(), "orchd-reliability-"));
  const report = join(folder, "figures.json");
  const [file = "", ...words] = command;
  const [program, args] = file.endsWith(".test.ts")
    ? ["tap", ["run", "--jobs=1", `--timeout=${LONGEST_S}`, file]]
    : [process.execPath, [file, ...words, ...options]];
  const began = performance.now();
  try {
    const { exitCode } = await execa(program, args, {
      cwd: root,
      localDir: root,
      preferLocal: true,
      env: { ...env, ORCHD_REPORT: report },
      stdio: "inherit",
      reject: false,
      timeout: LONGEST_S * 1000,
    });
    // A run that failed early has reported nothing.
    const figures: Figures = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : {};
    return {
      finished_at: new Date().toISOString(),
      commit: await commitOf(),
      seconds: Math.round((performance.now() - began) / 1000),
      held: exitCode === 0 && none.every((what) => String(figures[what]) === "0"),
      figures,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** With a `+` where the tree has changes that are in no commit. Results themselves do not count. */
async function commitOf(): Promise<string> {
  const git = async (...words: readonly string[]) => (await execa("git", [...words], { cwd: root })).stdout;
  const changes = await git("status", "--porcelain", "--", ".", ...RESULTS);
  return `${await git("rev-parse", "--short=10", "HEAD")}${changes === "" ? "" : "+"}`;
}
