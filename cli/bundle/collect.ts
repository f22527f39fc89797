import { open, readFile } from "node:fs/promises";
import { arch, cpus, platform, release, totalmem, uptime } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { shownSettings } from "../../src/contract/engine/environment.ts";
import type { EngineRecord, ProductRecord } from "../../src/contract/orchestrator/records.ts";
import { VERSION } from "../../src/shared/version.ts";
import { checkAll } from "../checks/check-all.ts";
import { CliFailure, attempt } from "../exit-codes.ts";
import type { Session } from "../session.ts";
import { type Writer, redactLogLine, redactRecord } from "./redact-log.ts";

const EVENTS = 1000;
/** Logs of engines, those in trouble first. */
const LOGS = 20;
const LOG_BYTES = 256 * 1024;
const JOURNAL_LINES = 5000;
const JOURNAL_MS = 20_000;

/** A file of the bundle. */
export interface BundleFile {
  readonly name: string;
  readonly content: string;
}

/** The files that describe a daemon and its host. Where reading fails, the file contains the reason. */
export async function collect(session: Session): Promise<readonly BundleFile[]> {
  const { client, settings } = session;
  const { checks, report } = await checkAll(session);
  const engines = await attempt(() => client.admin((admin) => Array.fromAsync(admin.listEngines()), QUIET));
  const own = { orchctl: VERSION, node: process.versions.node, platform: platform(), arch: arch(), kernel: release() };
  const machine = {
    cores: cpus().length,
    memory_mb: Math.round(totalmem() / 1_048_576),
    uptime_s: Math.round(uptime()),
  };
  return [
    json("versions.json", { ...own, ...machine, orchd: report && { version: report.version, node: report.node } }),
    json("settings.json", { daemon: report?.settings ?? null, orchctl: shownSettings(settings.environment) }),
    json("doctor.json", checks),
    await file("status.json", () => client.admin((admin) => admin.status(), QUIET)),
    await file("products.json", async () => (await client.admin(listProducts, QUIET)).map(describeProduct)),
    await file("engines.json", async () => valueOf(engines).map(describeEngine)),
    await lines("events.jsonl", () => readEvents(session)),
    ...(engines instanceof CliFailure ? [] : await readLogs(engines, settings.dataDir)),
    ...(await readJournal()),
  ];
}

/** Calls without their own progress, since the bundle shows one. */
const QUIET = { doing: null } as const;
const json = (name: string, value: unknown): BundleFile => ({ name, content: `${JSON.stringify(value, null, 2)}\n` });
const listProducts = (admin: { listProducts(): AsyncIterable<ProductRecord> }) => Array.fromAsync(admin.listProducts());

const describeProduct = ({ id, slug, policy, engine_env_names, created_at }: ProductRecord) => ({
  id,
  slug,
  policy,
  engine_env_names,
  created_at,
});

/** Without the metadata, which may contain data of the product. */
function describeEngine({ metadata, last_error: error, ...engine }: EngineRecord) {
  const fields = Object.keys(metadata).length;
  return { ...engine, metadata: `(${fields} fields left out)`, last_error: error && redactRecord(error, "daemon") };
}

async function readEvents({ client }: Session): Promise<readonly string[]> {
  return client.admin(async (admin) => {
    const events: string[] = [];
    for await (const { user_id: user, ...event } of admin.listEvents()) {
      events.push(JSON.stringify({ ...redactRecord(event, "daemon"), user_id: user }));
      if (events.length === EVENTS) break;
    }
    return events.toReversed();
  }, QUIET);
}

/** The last part of the logs in the data folder, if this user may read them. */
async function readLogs(engines: readonly EngineRecord[], dataDir: string): Promise<readonly BundleFile[]> {
  const isTroubled = ({ state, restarts }: EngineRecord) => state !== "running" || restarts.count > 0;
  const chosen = engines.toSorted((a, b) => Number(isTroubled(b)) - Number(isTroubled(a))).slice(0, LOGS);
  return Promise.all(
    chosen.map(({ id }) =>
      lines(`logs/${id}.log`, async () => redactLog(await endOf(join(dataDir, "engines", id, "engine.log")), "engine")),
    ),
  );
}

/** The journal of the service. None without systemd. */
async function readJournal(): Promise<readonly BundleFile[]> {
  const args = ["-u", "orchd", "-n", String(JOURNAL_LINES), "--no-pager", "-o", "cat"];
  const { stdout, failed } = await execa("journalctl", args, { timeout: JOURNAL_MS, reject: false, stdin: "ignore" });
  return failed || stdout === "" ? [] : [await lines("orchd.log", async () => redactLog(stdout, "daemon"))];
}

const redactLog = (text: string, writer: Writer): readonly string[] =>
  text.split("\n").map((line) => redactLogLine(line, writer));

async function endOf(path: string): Promise<string> {
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    if (size <= LOG_BYTES) return await readFile(handle, "utf8");
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(LOG_BYTES), 0, LOG_BYTES, size - LOG_BYTES);
    // The first line may be incomplete.
    return buffer.toString("utf8", 0, bytesRead).replace(/^.*\n/, "");
  } finally {
    await handle.close();
  }
}

const file = async (name: string, read: () => Promise<unknown>): Promise<BundleFile> =>
  withReason(name, async () => json(name, await read()));

const lines = async (name: string, read: () => Promise<readonly string[]>): Promise<BundleFile> =>
  withReason(name, async () => ({ name, content: `${(await read()).join("\n").trimEnd()}\n` }));

async function withReason(name: string, make: () => Promise<BundleFile>): Promise<BundleFile> {
  try {
    return await make();
  } catch (error) {
    return { name: `${name}.missing`, content: `${error instanceof Error ? error.message : String(error)}\n` };
  }
}

function valueOf<T>(result: T | CliFailure): T {
  if (result instanceof CliFailure) throw result;
  return result;
}
