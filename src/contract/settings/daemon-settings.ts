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
    unset: "created at first start",
    secret: true,
    description: "The admin key, at least 16 characters",
  },
  ORCH_SECRET_KEY: {
    scope: "daemon",
    value: TEXT,
    unset: "created at first start",
    secret: true,
    description:
      "Encrypts `engine_env` and the [vault](secrets.md#vault) in the database. If you lose this key, they are lost",
  },
  ORCH_HOST: {
    scope: "daemon",
    value: { kind: "text", fallback: "127.0.0.1" },
    description: "The address on which the daemon and its engines listen. A reverse proxy adds TLS",
  },
  ORCH_PORT: { scope: "daemon", value: { ...PORT, fallback: 7700 }, description: "The port of the daemon" },
  ORCH_PUBLIC_URL: {
    scope: "daemon",
    value: TEXT,
    unset: "none",
    description:
      "The daemon's address for products and browsers, such as `https://agents.example.com`. The `url` of an engine is then `<address>/e/<engine id>`: see [the gateway](operating.md#the-gateway). Logins of tool servers lead back to `<address>/oauth/callback`, and need it",
  },
  ORCH_HOST_ID: {
    scope: "daemon",
    value: TEXT,
    unset: "created at first start",
    description:
      "The name of the deployment in the database, the same on all its [replicas](operating.md#replicas): letters, digits, `.`, `_` and `-`, at most 63. It cannot be changed later",
  },
  ORCH_REPLICA_URL: {
    scope: "daemon",
    value: TEXT,
    unset: "none",
    description:
      "This daemon's own address for the other [replicas](operating.md#replicas), such as `http://10.1.2.3:7700`. They pass calls on to it while it leads",
  },
  ORCH_BROKER_PORT: {
    scope: "daemon",
    value: { ...PORT, fallback: null },
    unset: "a free port, the same at each start",
    description: "The port of the [broker](secrets.md) on this machine, which engines call in place of a provider",
  },
  ORCH_BROKER_URL: {
    scope: "daemon",
    value: TEXT,
    unset: "the daemon starts a broker, but not for pods",
    description: "The URL of a [broker](secrets.md#backends) that runs apart from the daemon, as engines reach it",
  },
  ORCH_ENGINE_EGRESS: {
    scope: "daemon",
    value: { kind: "choice", values: ["direct", "broker"], fallback: "direct" },
    description:
      "How tools of engines reach what `tool_network` permits: `direct`, or through the [broker](secrets.md#backends), where the network closes every other way",
  },
  ORCH_BROKER_KEY: {
    scope: "daemon",
    value: TEXT,
    unset: "derived from `ORCH_SECRET_KEY`",
    secret: true,
    description: "The secret that the daemon shares with the broker of `ORCH_BROKER_URL`, at least 16 characters",
  },
  ORCH_PORT_MIN: {
    scope: "daemon",
    value: { ...PORT, fallback: 20_000 },
    description: "The first port of engines. Those in Kubernetes have none",
  },
  ORCH_PORT_MAX: {
    scope: "daemon",
    value: { ...PORT, fallback: 29_999 },
    description: "The last port of engines; best below the ephemeral range of the kernel, 32768",
  },
  ORCH_BOOT_TIMEOUT_S: {
    scope: "daemon",
    value: { kind: "integer", min: 1, max: 3600, fallback: 60 },
    description: "Seconds until an engine must be healthy",
  },
  ORCH_BOOT_CONCURRENCY: {
    scope: "daemon",
    value: { kind: "integer", min: 1, max: 1000, fallback: null },
    unset: "max(2, cores / 2)",
    description: "Engines that start in parallel",
  },
  ORCH_MAX_AWAKE: {
    scope: "daemon",
    value: { kind: "integer", min: 0, max: 1_000_000, fallback: null },
    unset: "[by the memory](#daemon)",
    description:
      "Engines that are [awake](operating.md#sleeping-engines) at the same time, with the [spares](operating.md#spares); beyond it the engine idle longest sleeps first. 0 is no limit",
  },
  ORCH_WARM_ENGINES: {
    scope: "daemon",
    value: { kind: "integer or auto", min: 0, max: 1000, fallback: "auto" },
    description:
      "[Spares](operating.md#spares): engine processes without a user, of which the next start of an engine takes one instead of booting. Each takes about 40 MiB and counts in `ORCH_MAX_AWAKE`. `auto` is none below 2 GiB of memory, then 1, 2 from 8 GiB, 4 from 24 GiB; none with other backends than `process`",
  },
  ORCH_HEALTH_INTERVAL_S: {
    scope: "daemon",
    value: { kind: "integer", min: 1, max: 3600, fallback: 10 },
    description: "Seconds between health probes; 3 misses make an engine unhealthy, 6 restart it",
  },
  ORCH_DATA_DIR: {
    scope: "daemon",
    value: TEXT,
    unset: "`/var/lib/orchd` for root, otherwise `~/.local/share/orchd`",
    description: "The data folder",
  },
  ORCH_DISK_RESERVE: {
    scope: "daemon",
    value: { kind: "integer", min: 0, max: 1_048_576, fallback: 512 },
    description:
      "MiB that engines [leave free](operating.md#limits-of-engines-and-tools) on the disk of the data folder. Below it no engine is made, and tools can delete files but not write",
  },
  DATABASE_URL: {
    scope: "daemon",
    value: TEXT,
    unset: "the bundled PostgreSQL",
    secret: true,
    description: "`postgres://…` of another PostgreSQL",
  },
  ORCH_BACKEND: {
    scope: "daemon",
    value: { kind: "choice", values: ["process", "docker", "kubernetes"], fallback: "process" },
    description:
      "What runs engines: `process` child processes of this host, `docker` [containers](docker.md) of this host, `kubernetes` [pods](kubernetes.md) of a cluster",
  },
  ORCH_DOCKER_IMAGE: {
    scope: "daemon",
    value: { kind: "text", fallback: "orchd-engine" },
    description: "With `docker`: the image of engines, as made by the [Dockerfile](docker.md#images)",
  },
  ORCH_DOCKER_RUNTIME: {
    scope: "daemon",
    value: TEXT,
    unset: "that of the Docker engine",
    description: "With `docker`: the runtime of the containers, such as `runsc`",
  },
  DOCKER_HOST: {
    scope: "daemon",
    value: { kind: "text", fallback: "unix:///var/run/docker.sock" },
    description: "With `docker`: the socket of the Docker engine on this host",
  },
  ORCH_KUBERNETES_NAMESPACE: {
    scope: "daemon",
    value: TEXT,
    unset: "that of orchd's pod or of the context of `KUBECONFIG`, else `default`",
    description: "With `kubernetes`: the namespace of the engines' pods",
  },
  ORCH_KUBERNETES_IMAGE: {
    scope: "daemon",
    value: { kind: "text", fallback: "orchd-engine" },
    description: "With `kubernetes`: the image of engines, as made by the [Dockerfile](docker.md#images)",
  },
  ORCH_KUBERNETES_PULL_POLICY: {
    scope: "daemon",
    value: { kind: "choice", values: ["IfNotPresent", "Always", "Never"], fallback: "IfNotPresent" },
    description: "With `kubernetes`: when nodes pull the image",
  },
  ORCH_KUBERNETES_STORAGE_CLASS: {
    scope: "daemon",
    value: TEXT,
    unset: "the default of the cluster",
    description: "With `kubernetes`: the storage class of the engines' volumes",
  },
  ORCH_KUBERNETES_VOLUME_SIZE: {
    scope: "daemon",
    value: { kind: "text", fallback: "10Gi" },
    description: "With `kubernetes`: the size of an engine's volume",
  },
  ORCH_KUBERNETES_RUNTIME_CLASS: {
    scope: "daemon",
    value: TEXT,
    unset: "the default of the cluster",
    description: "With `kubernetes`: the runtime class of the pods, such as one of gVisor",
  },
  KUBECONFIG: {
    scope: "daemon",
    value: TEXT,
    unset: "the service account of orchd's own pod",
    description: "With `kubernetes`, outside of the cluster: the path of one kubeconfig file",
  },
  ORCH_ISOLATION: {
    scope: "daemon",
    value: { kind: "choice", values: ISOLATION_MODES, fallback: "auto" },
    description:
      "How engines and their tools are [confined](operating.md#isolation): `auto` as far as this host can, `require` refuses to start on a host that cannot, `off` not at all",
  },
  ORCH_TOOL_READ_PATHS: {
    scope: "daemon",
    value: TEXT,
    unset: "none",
    description:
      "Further folders that tools may read, absolute and separated by colons, such as a shared toolchain. They must exist, apart from the data folder and from `ORCH_BACKUP_DIR`",
  },
  ORCH_ENGINE_UID_MIN: {
    scope: "daemon",
    value: { kind: "integer", min: 1000, max: 2_147_400_000, fallback: FIRST_ENGINE_UID },
    description:
      "Where each engine has a user of its own, its user id is this number plus a port number of the port range. No account may have one of them",
  },
  ORCH_PRICES: {
    scope: "daemon",
    value: TEXT,
    unset: "none: costs are unknown",
    description:
      "A JSON file with the prices of models, as an absolute path. See [what a user costs](operating.md#what-a-user-costs)",
  },
  ORCH_CATALOG_VERSIONS: {
    scope: "daemon",
    value: { kind: "integer", min: 1, max: 1000, fallback: 20 },
    description: "How many versions of each product's [catalog](catalog.md#a-catalog-for-your-product) are stored",
  },
  ORCH_BACKUP_DIR: {
    scope: "daemon",
    value: TEXT,
    unset: "`backups` in the data folder",
    description:
      "The folder of [backups](operating.md#backup-and-restore), best on another disk. Under systemd it needs `ReadWritePaths=`",
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
    unset: "not encrypted",
    secret: true,
    description: "Encrypts backups; at least 12 characters. Without it they cannot be read again",
  },
  ORCH_LOG_LEVEL: {
    scope: "daemon",
    value: { kind: "choice", values: DAEMON_LOG_LEVELS, fallback: "info" },
    description: "The least severe lines that the daemon logs",
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    scope: "daemon",
    value: TEXT,
    unset: "no traces",
    description:
      "The base address of an OpenTelemetry collector for [traces](operating.md#traces), such as `http://127.0.0.1:4318`",
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    scope: "daemon",
    value: TEXT,
    unset: "none",
    secret: true,
    description: "Headers for the collector, such as a key: `name=value,name=value`, with percent-encoded values",
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    scope: "daemon",
    value: { kind: "choice", values: ["http/json"], fallback: "http/json" },
    description: "OTLP over HTTP in JSON is the only protocol",
  },
  OTEL_TRACES_SAMPLER: {
    scope: "daemon",
    value: {
      kind: "choice",
      values: ["parentbased_always_on", "parentbased_traceidratio"],
      fallback: "parentbased_always_on",
    },
    description: "Which traces are recorded. A caller that sends `traceparent` decides for its own",
  },
  OTEL_TRACES_SAMPLER_ARG: {
    scope: "daemon",
    value: { kind: "text", fallback: "1" },
    description: "With `parentbased_traceidratio`, the share of the other traces, from 0 to 1",
  },
} as const satisfies Record<string, SettingRow>;
