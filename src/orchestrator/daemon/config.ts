import { availableParallelism } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { shownSettings } from "../../contract/engine/environment.ts";
import { readEngineSettings, readInteger } from "../../contract/settings/engine-settings.ts";
import { defaultDataDir as dataDirFor } from "../../contract/orchestrator/data-dir.ts";
import type { IsolationMode } from "../../contract/orchestrator/records.ts";
import { SETTINGS, isEngineSetting, unknownSettings } from "../../contract/settings/settings.ts";
import { EnvironmentReader } from "../../shared/environment.ts";
import { AUDIT_HEADS_FILE } from "../../contract/orchestrator/audit-chain.ts";
import { type KubernetesSettings, readKubernetes } from "./read-kubernetes.ts";
import { readPriceFile } from "../status/prices.ts";
import type { PriceTable } from "../../contract/orchestrator/price-table.ts";
import type { OidcSettings } from "../identity/oidc-settings.ts";
import type { BackupSettings } from "../status/backups.ts";
import { memoryTotalMb } from "../../shared/host-resources.ts";
import { defaultSpares } from "../rules/default-spares.ts";
import type { AwakeSetting } from "../supervision/awake-slots.ts";
import type { UidRange } from "../store/engine-users.ts";
import { LOG_LEVELS, type LogLevel } from "../../shared/logger.ts";
import type { TracingSettings } from "../../shared/tracing/otlp-tracer.ts";
import { type BrokerSettings, readBroker } from "./read-broker.ts";
import { readConsoleOidc } from "./read-console-oidc.ts";
import { readSecretSources } from "./read-secret-sources.ts";
import type { SecretSources } from "../secrets/read-source.ts";
import { readTracing } from "./read-tracing.ts";

interface DockerSettings {
  readonly socketPath: string;
  readonly image: string;
  /** Null for the default of the Docker engine. */
  readonly runtime: string | null;
}

const HOST_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

export interface Config {
  /** Unset: created on first start. */
  readonly adminKey: string | undefined;
  readonly secretKey: string | undefined;
  readonly previousSecretKey: string | undefined;
  /** What secrets of products can be read from. */
  readonly secretSources: SecretSources;
  readonly backend: (typeof SETTINGS)["ORCH_BACKEND"]["value"]["values"][number];
  readonly hostId: string | undefined;
  readonly docker: DockerSettings;
  readonly kubernetes: KubernetesSettings;
  readonly host: string;
  readonly port: number;
  /** The base of engines' addresses, without a trailing slash. Null: their own ports. */
  readonly publicUrl: string | null;
  /** The URL at which other replicas call this daemon, without a trailing slash. Null: no replicas. */
  readonly replicaUrl: string | null;
  readonly portMin: number;
  readonly portMax: number;
  readonly broker: BrokerSettings;
  /** Whether it is the way of tools to what they may connect to. */
  readonly isBrokerEgress: boolean;
  readonly bootTimeoutMs: number;
  readonly bootConcurrency: number;
  /** The number of stored versions of each product's catalog. */
  readonly catalogVersions: number;
  readonly maxAwake: AwakeSetting;
  /** Processes that are kept ready for launches. */
  readonly warmEngines: number;
  /** MiB that stay free on the disk of the data folder. */
  readonly diskReserveMb: number;
  readonly healthIntervalMs: number;
  readonly dataDir: string;
  /** The data folder when ORCH_DATA_DIR is unset. */
  readonly defaultDataDir: string;
  /** Unset: the bundled PostgreSQL. */
  readonly databaseUrl: string | undefined;
  readonly isolation: IsolationMode;
  /** Absolute folders that tools may read beside the system's programs. */
  readonly toolReadPaths: readonly string[];
  /** The user ids of engines, bounds included: one for each port. */
  readonly engineUids: UidRange;
  readonly logLevel: LogLevel;
  readonly engineDefaults: Readonly<Record<string, string>>;
  /** Problems of `engineDefaults` that a product's `engine_env` has to fix. */
  readonly engineDefaultProblems: readonly string[];
  readonly extraCaCerts: string | null;
  /** With which people sign in to the console. Null: by the admin key and links alone. */
  readonly consoleOidc: OidcSettings | null;
  /** Null: no tracing. */
  readonly tracing: TracingSettings | null;
  /** The engines' PATH, where their tools find commands. */
  readonly path: string;
  /** The price table and its file. Both null without. */
  readonly prices: { readonly file: string | null; readonly table: PriceTable | null };
  readonly backup: BackupSettings;
  /** What the environment sets, as it may be shown. */
  readonly shownSettings: Readonly<Record<string, string>>;
  /** Variables that look like settings and are none. */
  readonly unknownSettings: readonly string[];
  /** The notification socket of systemd (`NOTIFY_SOCKET`). */
  readonly notifySocket: string | undefined;
  /** Whether systemd restarts a daemon that hangs (`WATCHDOG_USEC`). */
  readonly watchdog: boolean;
}

/** Reads all settings. Throws `InvalidSettings` with every problem at once. */
export function readConfig(env: Readonly<Record<string, string | undefined>>, uid: number): Config {
  const read = new EnvironmentReader(env);
  const defaultDataDir = dataDirFor({ uid, home: env["HOME"], xdgDataHome: env["XDG_DATA_HOME"] });
  const engineDefaultProblems: string[] = [];
  readEngineSettings(read, (problem) => engineDefaultProblems.push(problem));
  const portMin = readInteger(read, "ORCH_PORT_MIN");
  const portMax = readInteger(read, "ORCH_PORT_MAX");
  const uidMin = readInteger(read, "ORCH_ENGINE_UID_MIN");
  const dataDir = resolve(read.text("ORCH_DATA_DIR", defaultDataDir));
  const publicUrl = readPublicUrl(read);
  const config: Config = {
    adminKey: read.text("ORCH_ADMIN_KEY"),
    secretKey: read.text("ORCH_SECRET_KEY"),
    previousSecretKey: read.text("ORCH_SECRET_KEY_PREVIOUS"),
    secretSources: readSecretSources(read, env),
    hostId: readHostId(read),
    host: read.text("ORCH_HOST", SETTINGS.ORCH_HOST.value.fallback),
    port: readInteger(read, "ORCH_PORT"),
    publicUrl,
    replicaUrl: readReplicaUrl(read),
    portMin,
    portMax,
    broker: readBroker(read),
    isBrokerEgress: read.choice("ORCH_ENGINE_EGRESS", SETTINGS.ORCH_ENGINE_EGRESS.value.values, "direct") === "broker",
    bootTimeoutMs: readInteger(read, "ORCH_BOOT_TIMEOUT_S") * 1000,
    catalogVersions: readInteger(read, "ORCH_CATALOG_VERSIONS"),
    bootConcurrency: readInteger(read, "ORCH_BOOT_CONCURRENCY") ?? Math.max(2, Math.floor(availableParallelism() / 2)),
    maxAwake: readMaxAwake(read),
    warmEngines: readWarmEngines(read),
    diskReserveMb: readInteger(read, "ORCH_DISK_RESERVE"),
    healthIntervalMs: readInteger(read, "ORCH_HEALTH_INTERVAL_S") * 1000,
    dataDir,
    defaultDataDir,
    databaseUrl: read.text("DATABASE_URL"),
    backend: read.choice("ORCH_BACKEND", SETTINGS.ORCH_BACKEND.value.values, SETTINGS.ORCH_BACKEND.value.fallback),
    docker: readDocker(read),
    kubernetes: readKubernetes(read),
    isolation: read.choice("ORCH_ISOLATION", SETTINGS.ORCH_ISOLATION.value.values, "auto"),
    toolReadPaths: (read.text("ORCH_TOOL_READ_PATHS") ?? "").split(":").filter(Boolean),
    // Derived from the ports, so that daemons of one machine with separate ports have separate user ids.
    engineUids: { min: uidMin + portMin, max: uidMin + portMax },
    logLevel: read.choice("ORCH_LOG_LEVEL", LOG_LEVELS, "info"),
    engineDefaults: Object.fromEntries(
      Object.entries(env).filter((entry): entry is [string, string] => isEngineSetting(entry[0]) && Boolean(entry[1])),
    ),
    engineDefaultProblems,
    extraCaCerts: read.text("NODE_EXTRA_CA_CERTS") ?? null,
    consoleOidc: readConsoleOidc(read, publicUrl),
    tracing: readTracing(read),
    shownSettings: shownSettings(env),
    unknownSettings: unknownSettings(env),
    path: read.text("PATH", "/usr/local/bin:/usr/bin:/bin"),
    prices: readPrices(read),
    backup: readBackup(read, dataDir),
    notifySocket: read.text("NOTIFY_SOCKET"),
    watchdog: read.text("WATCHDOG_USEC") !== undefined,
  };
  checkTogether(read, config);
  read.done();
  return Object.freeze(config);
}

function readDocker(read: EnvironmentReader): DockerSettings {
  const address = read.text("DOCKER_HOST", SETTINGS.DOCKER_HOST.value.fallback);
  const socketPath = /^unix:\/\/(\/.+)$/.exec(address)?.[1];
  if (socketPath === undefined)
    read.problem(`DOCKER_HOST: expected unix:// and the path of a socket on this host, got "${address}"`);
  return {
    socketPath: socketPath ?? "",
    image: read.text("ORCH_DOCKER_IMAGE", SETTINGS.ORCH_DOCKER_IMAGE.value.fallback),
    runtime: read.text("ORCH_DOCKER_RUNTIME") ?? null,
  };
}

function readPublicUrl(read: EnvironmentReader): string | null {
  const text = read.text("ORCH_PUBLIC_URL");
  if (text === undefined) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  const isBase = url !== null && /^https?:$/.test(url.protocol) && url.search + url.hash + url.username === "";
  if (!isBase)
    read.problem(`ORCH_PUBLIC_URL: expected http://… or https://… without user, query and fragment, got "${text}"`);
  return text.replace(/\/+$/, "");
}

function readBackup(read: EnvironmentReader, dataDir: string): Config["backup"] {
  const dir = read.text("ORCH_BACKUP_DIR", join(dataDir, "backups"));
  if (!isAbsolute(dir)) read.problem(`ORCH_BACKUP_DIR: expected an absolute path, got "${dir}"`);
  const everyHours = readInteger(read, "ORCH_BACKUP_EVERY_H");
  const passphrase = read.text("ORCH_BACKUP_PASSPHRASE") ?? null;
  if (passphrase !== null && passphrase.length < 12)
    read.problem("ORCH_BACKUP_PASSPHRASE: expected at least 12 characters");
  // Keys that the operator keeps in the environment are not written to a file.
  const generated = [
    ...(read.text("ORCH_ADMIN_KEY") === undefined ? ["admin-key"] : []),
    ...(read.text("ORCH_SECRET_KEY") === undefined ? ["secret-key"] : []),
    ...(read.text("ORCH_SECRET_KEY_PREVIOUS") === undefined ? ["secret-key.previous"] : []),
  ];
  return {
    dir,
    everyMs: everyHours === null ? null : everyHours * 3_600_000,
    keep: readInteger(read, "ORCH_BACKUP_KEEP"),
    passphrase,
    keyFiles: ["host-id", ...generated, AUDIT_HEADS_FILE],
  };
}

/** Pods are not on this machine. */
function readMaxAwake(read: EnvironmentReader): AwakeSetting {
  const set = readInteger(read, "ORCH_MAX_AWAKE");
  if (set !== null) return set || null;
  return read.text("ORCH_BACKEND") === "kubernetes" ? null : { memoryMb: memoryTotalMb() };
}

function readWarmEngines(read: EnvironmentReader): number {
  const { fallback, ...bounds } = SETTINGS.ORCH_WARM_ENGINES.value;
  const text = read.text("ORCH_WARM_ENGINES", fallback);
  if (text === "auto") return defaultSpares(memoryTotalMb());
  return read.integer("ORCH_WARM_ENGINES", 0, { ...bounds, or: "auto" });
}

function checkTogether(read: EnvironmentReader, config: Config): void {
  const { portMin, portMax, port, adminKey, databaseUrl, extraCaCerts, toolReadPaths, backend, publicUrl } = config;
  if (portMin > portMax) read.problem(`ORCH_PORT_MIN: expected at most ORCH_PORT_MAX (${portMax}), got ${portMin}`);
  if (port >= portMin && port <= portMax) {
    read.problem(
      `ORCH_PORT: expected a port outside ORCH_PORT_MIN..ORCH_PORT_MAX (${portMin}..${portMax}), got ${port}`,
    );
  }
  const brokerPort = config.broker.port;
  if (brokerPort !== null && (brokerPort === port || (brokerPort >= portMin && brokerPort <= portMax))) {
    read.problem(
      `ORCH_BROKER_PORT: expected a port outside ORCH_PORT_MIN..ORCH_PORT_MAX (${portMin}..${portMax}) and other than ORCH_PORT, got ${brokerPort}`,
    );
  }
  if (adminKey !== undefined && adminKey.length < 16) read.problem("ORCH_ADMIN_KEY: expected at least 16 characters");
  if (databaseUrl !== undefined && !/^postgres(ql)?:\/\//.test(databaseUrl)) {
    read.problem("DATABASE_URL: expected a postgres:// address");
  }
  const relative = toolReadPaths.find((path) => !isAbsolute(path));
  if (relative !== undefined) {
    read.problem(`ORCH_TOOL_READ_PATHS: expected absolute folders separated by colons, got "${relative}"`);
  }
  if (backend === "kubernetes" && publicUrl === null) {
    read.problem(
      "ORCH_PUBLIC_URL: expected the daemon's address for products and browsers, because pods are called through the daemon (ORCH_BACKEND=kubernetes)",
    );
  }
  if (backend === "kubernetes" && config.isBrokerEgress && config.broker.url === null) {
    read.problem(
      "ORCH_ENGINE_EGRESS: expected ORCH_BROKER_URL, because a daemon starts no broker for pods (ORCH_BACKEND=kubernetes)",
    );
  }
  if (extraCaCerts !== null && !isAbsolute(extraCaCerts))
    read.problem("NODE_EXTRA_CA_CERTS: expected an absolute path");
}

/** The name that all replicas share. Undefined: the one of the data folder. */
function readHostId(read: EnvironmentReader): string | undefined {
  const text = read.text("ORCH_HOST_ID");
  if (text !== undefined && !HOST_ID.test(text))
    read.problem(`ORCH_HOST_ID: expected 1 to 63 of letters, digits, ".", "_" and "-", got "${text}"`);
  return text;
}

/** The URL at which other replicas call this one. Null: no replicas. */
function readReplicaUrl(read: EnvironmentReader): string | null {
  const text = read.text("ORCH_REPLICA_URL");
  if (text === undefined) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  const isOrigin = url?.protocol === "http:" && url.pathname + url.search + url.hash + url.username === "/";
  if (!isOrigin) read.problem(`ORCH_REPLICA_URL: expected http://host:port, got "${text}"`);
  return text.replace(/\/+$/, "");
}

/** Reads `ORCH_PRICES` and its file. Each problem of the file is reported separately. */
function readPrices(read: EnvironmentReader): Config["prices"] {
  const file = read.text("ORCH_PRICES") ?? null;
  if (file === null) return { file, table: null };
  if (!isAbsolute(file)) read.problem(`ORCH_PRICES: expected an absolute path, got "${file}"`);
  const outcome = readPriceFile(file);
  if (outcome.kind === "read") return { file, table: outcome.table };
  for (const problem of outcome.problems) read.problem(`ORCH_PRICES: ${problem}`);
  return { file, table: null };
}
