import { open } from "node:fs/promises";
import { type Readable, addAbortSignal } from "node:stream";
import { engineOf } from "../../backup/format.ts";
import { InvalidBackup } from "../../backup/invalid-backup.ts";
import { type BackupReport, verifyArchive } from "../../backup/verify-archive.ts";
import { createLogger } from "../../shared/logger.ts";
import { KNOWN_RECORDS, type RestoreReport, restoreBackup } from "./restore.ts";
import { errorCode } from "../../shared/error-code.ts";
import type { StartOptions } from "./serve.ts";

const CLAIMS_STAY =
  "  volumes    no files were put into volume claims: engines continue with those that the cluster has (docs/kubernetes.md)";

interface RestoreCommand extends BackupCommand {
  readonly resumeSchedules: boolean;
}

interface BackupCommand {
  /** `-` is standard input. */
  readonly file: string;
  readonly json: boolean;
}

/** `orchd --verify`: throws for an archive that could not be restored. */
export async function verifyCommand({ file, json }: BackupCommand, { config, stopping }: StartOptions): Promise<void> {
  const report = await named(file, async () =>
    verifyArchive(await sourceOf(file, stopping), { passphrase: config.backup.passphrase, known: KNOWN_RECORDS }),
  );
  print(json, summaryOf(report), [
    `${nameOf(file)} is a complete backup`,
    ...describe(report),
    ...report.damaged.map(({ section, problem }) => `  damaged    ${section}: ${problem}`),
  ]);
}

/** `orchd --restore`: see {@link restoreBackup}. */
export async function restoreCommand(
  { file, json, resumeSchedules }: RestoreCommand,
  options: StartOptions,
): Promise<void> {
  const { config } = options;
  const onProgress = (text: string) => process.stderr.write(`${text}\n`);
  // Standard output is for the result.
  const logger = createLogger("orchd", "silent");
  const report = await named(file, async () =>
    restoreBackup(await sourceOf(file, options.stopping), { ...options, logger, onProgress, resumeSchedules }),
  );
  if (report === "restored before") {
    print(json, { restored: true, data_dir: config.dataDir }, ["An earlier restore is complete now."]);
    return;
  }
  print(
    json,
    {
      restored: true,
      data_dir: config.dataDir,
      ports_changed: report.moved,
      schedules_paused: !resumeSchedules,
      ...summaryOf(report),
    },
    [
      `${nameOf(file)} is restored into ${config.dataDir}`,
      ...describe(report),
      ...(report.moved > 0 ? [`  ports      ${report.moved} engines got another port`] : []),
      ...(config.backend === "kubernetes" ? [CLAIMS_STAY] : []),
      resumeSchedules
        ? "  schedules  run when orchd starts; stop the host that was backed up first, if it still runs them"
        : "  schedules  paused, because the host that was backed up may still run them; once orchd runs, orchctl resume --schedules ends this",
      "Start orchd now: engines that ran will start.",
    ],
  );
}

/** Destroyed by a signal, which ends its reader. */
async function sourceOf(file: string, stopping: AbortSignal): Promise<Readable> {
  if (file === "-") return addAbortSignal(stopping, process.stdin);
  const handle = await open(file).catch((error: unknown) => {
    throw new InvalidBackup(`cannot be read (${errorCode(error)})`, { cause: error });
  });
  return addAbortSignal(stopping, handle.createReadStream());
}

/** `orchctl` passes the file of an operator as standard input where the daemon's user cannot reach it. */
const nameOf = (file: string): string => (file === "-" ? "the archive" : file);

/** Messages about an archive begin with its name. */
async function named<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InvalidBackup) throw new InvalidBackup(`${nameOf(file)}: ${error.message}`, { cause: error });
    throw error;
  }
}

type Report = Pick<BackupReport | RestoreReport, "header" | "manifest"> & Partial<Pick<BackupReport, "damaged">>;

function summaryOf({ header, manifest, damaged }: Report) {
  const { created_at, host_id, version, schema } = header;
  const engines = manifest.sections.filter(({ name }) => engineOf(name) !== null).length;
  const bytes = manifest.sections.reduce((sum, section) => sum + section.bytes, 0);
  const incomplete = manifest.sections.filter((section) => section.incomplete !== null);
  return { created_at, host_id, version, schema, engines, bytes, rows: manifest.rows, incomplete, damaged };
}

function describe(report: Report): string[] {
  const { created_at, host_id, version, engines, bytes, rows, incomplete } = summaryOf(report);
  return [
    `  created    ${created_at} by orchd ${version}`,
    `  host       ${host_id}`,
    `  engines    ${engines}, ${Math.ceil(bytes / 1_048_576)} MiB unpacked`,
    `  products   ${rows["products"] ?? 0}`,
    ...incomplete.map(({ name, incomplete: reason }) => `  incomplete ${name}: ${reason ?? ""}`),
  ];
}

function print(json: boolean, value: unknown, lines: readonly string[]): void {
  process.stdout.write(json ? `${JSON.stringify(value)}\n` : `${lines.join("\n")}\n`);
}
