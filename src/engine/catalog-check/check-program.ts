import { ARCHIVE } from "../../contract/orchestrator/catalog-limits.ts";
import { byPath } from "../../contract/orchestrator/catalog-digest.ts";
import type { CatalogCheck, TriedCall } from "../../contract/orchestrator/catalog.ts";
import { restrictSelf } from "../../sandbox/rights.ts";
import { type ToolRule, decidingRule } from "../tools/tool-rules.ts";
import { checkFolder } from "./check-folder.ts";
import { unpackArchive } from "./unpack-archive.ts";

/** The daemon reads an answer of bounded size. */
const MAX_FAULTS = 1000;

interface Order {
  /** An empty folder for the files. */
  readonly target: string;
  /** Whether Landlock confines this process. */
  readonly confine: boolean;
  /** What tools may read, for sandboxes of tool servers. */
  readonly readable: readonly string[];
  /** A call to be judged by the rules. */
  readonly tried: TriedCall | null;
}

/**
 * The program that unpacks and checks a product's catalog for the daemon: the archive is on standard input, the order is
 * its argument, and the answer is JSON on standard output.
 */
async function run({ target, confine, readable, tried }: Order): Promise<void> {
  process.umask(0o022);
  // Before the thread pool starts, whose threads inherit it.
  if (confine) restrictSelf({ read: [], write: [target], bind: [], connect: [] });
  const { files, faults } = await unpackArchive(process.stdin, target);
  const isWhole = faults.every(({ path }) => path !== ARCHIVE);
  const found = isWhole ? await checkFolder(target, readable) : { errors: [], warnings: [], rules: [] };
  const errors = [...faults, ...found.errors];
  if (errors.length === 0 && files.length === 0) errors.push({ path: ARCHIVE, message: "expected files" });
  const answer: CatalogCheck = {
    files: [...byPath(files)],
    errors: errors.slice(0, MAX_FAULTS),
    more_errors: Math.max(0, errors.length - MAX_FAULTS),
    warnings: found.warnings.slice(0, MAX_FAULTS),
    ...(tried && { tried: shownRule(decidingRule(found.rules, tried)) }),
  };
  process.stdout.write(JSON.stringify(answer));
}

const shownRule = (rule: ToolRule | null): CatalogCheck["tried"] =>
  rule && { permission: rule.permission, ...rule.place, reason: rule.reason };

run(JSON.parse(process.argv[2] ?? "") as Order).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
