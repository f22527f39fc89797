import { type SettingRow, TEXT } from "./setting-row.ts";

const DAEMON_LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export const ISOLATION_MODES = ["auto", "require", "off"] as const;
const PORT = { kind: "integer", min: 1, max: 65_535 } as const;
/**
 * Above the user ids of distributions, of systemd's dynamic users and of its containers (up to 1879048191), and with a
 * port number added below 2^31, which some programs read as negative.
 */
const FIRST_ENGINE_UID = 1_900_000_000;

/** Settings of the daemon itself. */
export const DAEMON_SETTINGS = {
  ORCH_ADMIN_KEY: {
    scope: "daemon",
    value: TEXT,
    unset: "made on first start",
    secret: true,
    description: "The admin key, at least 16 characters",
  },
  ORCH_SECRET_KEY: {
    scope: "daemon",
    value: TEXT,
    unset: "made on first start",
    secret: true,
    description: "Encrypts `engine_env` at rest. Without it those settings are lost",
  },
  ORCH_HOST: {
    scope: "daemon",
    value: { kind: "text", fallback: "127.0.0.1" },
    description: "Address on which the daemon and its engines listen. TLS belongs to a reverse proxy",
  },
  ORCH_PORT: { scope: "daemon", value: { ...PORT, fallback: 7700 }, description: "The daemon's port" },
  ORCH_PUBLIC_URL: {
    scope: "daemon",
    value: TEXT,
    unset: "engines are called at their own ports",
    description:
      "The daemon's address for products and browsers, such as `https://agents.example.com`. The `url` of an engine is then `<address>/e/<engine id>`",
  },
  ORCH_HOST_ID: {
    scope: "daemon",
    value: TEXT,
    unset: "made on first start",
    description:
      "The name of the deployment in the database, the same on all its replicas: letters, digits, `.`, `_` and `-`, at most 63. It cannot be changed later",
  },
  ORCH_REPLICA_URL: {
    scope: "daemon",
    value: TEXT,
    unset: "none: other replicas wait until this one ends",
    description:
      "This daemon's own address for the other replicas, such as `http://10.1.2.3:7700`. They pass calls on to it while it leads",
  },
  ORCH_PORT_MIN: { scope: "daemon", value: { ...PORT, fallback: 20_000 }, description: "The first port of engines" },
  ORCH_PORT_MAX: {
    scope: "daemon",
    value: { ...PORT, fallback: 29_999 },
    description: "The last port of engines, best below the kernel's ephemeral range (32768)",
  },
  ORCH_BOOT_TIMEOUT_S: {
    scope: "daemon",
    value: { kind: "integer", min: 1, max: 3600, fallback: 60 },
    description: "Seconds an engine has to become healthy",
  },
  ORCH_BOOT_CONCURRENCY: {
    scope: "daemon",
    value: { kind: "integer", min: 1, max: 1000, fallback: null },
    unset: "half the cores, at least 2",
    description: "Engines that start at the same time",
  },
  ORCH_MAX_AWAKE: {
    scope: "daemon",
    value: { kind: "integer", min: 0, max: 1_000_000, fallback: null },
    unset: "the memory less 1 GiB, divided by 32 MiB, at least 16",
    description:
      "Engines that are awake at the same time. Beyond it the one idle longest sleeps first. 0 is no limit. Choose less where tools need much memory",
  },
  ORCH_WARM_ENGINES: {
    scope: "daemon",
    value: { kind: "integer", min: 0, max: 1000, fallback: 0 },
    description:
      "Spares: engine processes without a user, of which the next start of an engine takes one instead of booting. Each takes about 40 MiB",
  },
  ORCH_HEALTH_INTERVAL_S: {
    scope: "daemon",
    value: { kind: "integer", min: 1, max: 3600, fallback: 10 },
    description: "Seconds between health probes. 3 misses make an engine unhealthy, 6 restart it",
  },
  ORCH_DATA_DIR: {
    scope: "daemon",
    value: TEXT,
    unset: "`/var/lib/orchd` for root, else `orchd` in the user's data folder",
    description: "The data folder. Under systemd another one needs `ReadWritePaths=` too",
  },
  DATABASE_URL: {
    scope: "daemon",
    value: TEXT,
    unset: "the bundled server in the data folder",
    secret: true,
    description: "Another PostgreSQL, as `postgres://user:password@host/database`",
  },
  ORCH_BACKEND: {
    scope: "daemon",
    value: { kind: "choice", values: ["process", "docker", "kubernetes"], fallback: "process" },
    description:
      "What runs engines: `process`, child processes of this host; `docker`, containers of this host; `kubernetes`, pods of a cluster",
  },
  ORCH_DOCKER_IMAGE: {
    scope: "daemon",
    value: { kind: "text", fallback: "orchd-engine" },
    description: "With ORCH_BACKEND=docker: the image of engines, as made by the Dockerfile of orchd",
  },
  ORCH_DOCKER_RUNTIME: {
    scope: "daemon",
    value: TEXT,
    unset: "the default of the Docker engine",
    description: "With ORCH_BACKEND=docker: the runtime of the containers, such as `runsc`",
  },
  DOCKER_HOST: {
    scope: "daemon",
    value: { kind: "text", fallback: "unix:///var/run/docker.sock" },
    description: "With ORCH_BACKEND=docker: the socket of the Docker engine on this host",
  },
  ORCH_KUBERNETES_NAMESPACE: {
    scope: "daemon",
    value: TEXT,
    unset: "that of orchd's pod or of the context of KUBECONFIG, else `default`",
    description: "With ORCH_BACKEND=kubernetes: the namespace of the engines' pods",
  },
  ORCH_KUBERNETES_IMAGE: {
    scope: "daemon",
    value: { kind: "text", fallback: "orchd-engine" },
    description: "With ORCH_BACKEND=kubernetes: the image of engines, as made by the Dockerfile of orchd",
  },
  ORCH_KUBERNETES_PULL_POLICY: {
    scope: "daemon",
    value: { kind: "choice", values: ["IfNotPresent", "Always", "Never"], fallback: "IfNotPresent" },
    description: "With ORCH_BACKEND=kubernetes: when nodes pull the image",
  },
  ORCH_KUBERNETES_STORAGE_CLASS: {
    scope: "daemon",
    value: TEXT,
    unset: "the default of the cluster",
    description: "With ORCH_BACKEND=kubernetes: the storage class of the engines' volumes",
  },
  ORCH_KUBERNETES_VOLUME_SIZE: {
    scope: "daemon",
    value: { kind: "text", fallback: "10Gi" },
    description: "With ORCH_BACKEND=kubernetes: the size of an engine's volume, such as `10Gi`",
  },
  ORCH_KUBERNETES_RUNTIME_CLASS: {
    scope: "daemon",
    value: TEXT,
    unset: "the default of the cluster",
    description: "With ORCH_BACKEND=kubernetes: the runtime class of the pods, such as one of gVisor",
  },
  KUBECONFIG: {
    scope: "daemon",
    value: TEXT,
    unset: "the service account of orchd's own pod",
    description: "With ORCH_BACKEND=kubernetes, outside of the cluster: the path of one kubeconfig file",
  },
  ORCH_ISOLATION: {
    scope: "daemon",
    value: { kind: "choice", values: ISOLATION_MODES, fallback: "auto" },
    description:
      "How engines and their tools are confined. `auto`: as far as this host can. `require`: orchd does not start on a host that cannot. `off`: not at all",
  },
  ORCH_TOOL_READ_PATHS: {
    scope: "daemon",
    value: TEXT,
    unset: "none",
    description:
      "Further folders that tools may read, absolute and separated by colons, such as a shared toolchain. Not the data folder",
  },
  ORCH_ENGINE_UID_MIN: {
    scope: "daemon",
    value: { kind: "integer", min: 1000, max: 2_147_400_000, fallback: FIRST_ENGINE_UID },
    description:
      "Where the daemon may change users, each engine runs as a user id of its own: this number plus a port number of ORCH_PORT_MIN..ORCH_PORT_MAX. No account may have one of them",
  },
  ORCH_PRICES: {
    scope: "daemon",
    value: TEXT,
    unset: "none: costs are unknown",
    description: "A JSON file with the prices of models, as an absolute path",
  },
  ORCH_CATALOG_VERSIONS: {
    scope: "daemon",
    value: { kind: "integer", min: 1, max: 1000, fallback: 20 },
    description: "How many versions of each product's catalog are stored",
  },
  ORCH_BACKUP_DIR: {
    scope: "daemon",
    value: TEXT,
    unset: "`backups` in the data folder",
    description: "The folder of backups, best on another disk. Under systemd it needs `ReadWritePaths=`",
  },
  ORCH_BACKUP_EVERY_H: {
    scope: "daemon",
    value: { kind: "integer", min: 1, max: 8760, fallback: null },
    unset: "only on request",
    description: "Hours between scheduled backups",
  },
  ORCH_BACKUP_KEEP: {
    scope: "daemon",
    value: { kind: "integer", min: 1, max: 10_000, fallback: 7 },
    description: "How many backups of this host are kept. A new one replaces the oldest",
  },
  ORCH_BACKUP_PASSPHRASE: {
    scope: "daemon",
    value: TEXT,
    unset: "backups are not encrypted",
    secret: true,
    description: "Encrypts backups; at least 12 characters. Without it they cannot be read again",
  },
  ORCH_LOG_LEVEL: {
    scope: "daemon",
    value: { kind: "choice", values: DAEMON_LOG_LEVELS, fallback: "info" },
    description: "The daemon's log level",
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    scope: "daemon",
    value: TEXT,
    unset: "no traces",
    description: "An OpenTelemetry collector for traces of the daemon and its engines, such as `http://127.0.0.1:4318`",
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    scope: "daemon",
    value: TEXT,
    unset: "none",
    secret: true,
    description: "Headers for the collector, such as a key, as `name=value,name=value` with percent-encoded values",
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    scope: "daemon",
    value: { kind: "choice", values: ["http/json"], fallback: "http/json" },
    description: "The protocol that the collector is spoken to with",
  },
  OTEL_TRACES_SAMPLER: {
    scope: "daemon",
    value: {
      kind: "choice",
      values: ["parentbased_always_on", "parentbased_traceidratio"],
      fallback: "parentbased_always_on",
    },
    description: "Which traces are recorded. A caller that sends `traceparent` decides for its trace",
  },
  OTEL_TRACES_SAMPLER_ARG: {
    scope: "daemon",
    value: { kind: "text", fallback: "1" },
    description: "With `parentbased_traceidratio`, the share of the other traces, from 0 to 1",
  },
} as const satisfies Record<string, SettingRow>;
