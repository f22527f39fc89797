/** A metric of the daemon, by its name for Prometheus. */
interface MetricRow {
  readonly kind: "counter" | "gauge" | "histogram";
  readonly labels: readonly string[];
  /** Markdown without a full stop, with links as from docs/. */
  readonly help: string;
}

/** The daemon's own metrics, in the order of the documentation. No label names a user or an engine. */
export const DAEMON_METRICS = {
  orch_boot_seconds: {
    kind: "histogram",
    labels: ["outcome", "spare"],
    help: "Time from launch to the end of the boot; `spare` is `claimed`, `none_left` or `unfit`, and `off` without spares or when the boot failed",
  },
  orch_gateway_calls_total: { kind: "counter", labels: ["outcome"], help: "Calls of engines through the daemon" },
  orch_replica_calls_total: {
    kind: "counter",
    labels: ["outcome"],
    help: "Calls that this daemon passed on to the [leader](operating.md#replicas)",
  },
  orch_broker_calls_total: {
    kind: "counter",
    labels: ["provider", "outcome"],
    help: "Model calls at the [broker](secrets.md) since its start: `answered`, `refused` or `failed` by the provider, `unreachable`, `cut` by the engine or the provider, `unauthorized`, `over_budget`, `cooldown` because the provider [limits the key](secrets.md#limits-of-a-key), `over_rate` because `LLM_REQUESTS_PER_MINUTE` does, `unchecked` because no daemon answered, `too_many` because the engine [has too many](secrets.md#limits-of-an-engine)",
  },
  orch_broker_tool_calls_total: {
    kind: "counter",
    labels: ["kind", "outcome"],
    help: "Calls of tools at the broker since its start, of the kind `secret`, `login` or [`egress`](secrets.md#the-only-way-out): `answered`, `refused` or `failed` by the host, `unreachable`, `cut`, `unauthorized` because the engine has stopped, `misused` (the next row), `missing` without such a secret, `needs_login`, `denied` by the policy's network of tools, `invalid`, `unchecked` and `too_many` as above",
  },
  orch_broker_misuses_total: {
    kind: "counter",
    labels: ["reason"],
    help: "Requests that the broker refused because of a [placeholder](secrets.md#secrets-for-tools), since its start: of `other engine`, to an `other host`, `not https`, in an `other place`. The event `secret.misused` is written for some of them",
  },
  orch_login_refreshes_total: {
    kind: "counter",
    labels: ["outcome"],
    help: "Renewals of [logins](secrets.md#renewal) at tool servers: `renewed`, `refused` so that the user has to sign in again, `away` when the authorization server did not answer",
  },
  orch_broker_open_calls: { kind: "gauge", labels: [], help: "Model calls that run at the broker" },
  orch_broker_restarts_total: {
    kind: "counter",
    labels: [],
    help: "How often the daemon started the broker again after its end",
  },
  orch_wakes_total: {
    kind: "counter",
    labels: ["reason", "outcome"],
    help: "Wakes of sleeping engines; outcome `failed` counts the refused ones",
  },
  orch_wake_seconds: { kind: "histogram", labels: [], help: "Time from the call to the running engine" },
  orch_catalog_reloads_total: {
    kind: "counter",
    labels: ["outcome"],
    help: "Reloads of a [product's catalog](catalog.md#a-catalog-for-your-product) by running engines: `reloaded`, `refused` by the engine's own files, `failed`; in a cluster `restarted`, and `busy` when the restart waits for the engine's work",
  },
  orch_scheduled_runs_total: {
    kind: "counter",
    labels: ["product", "trigger", "outcome"],
    help: "Runs of [schedules and webhooks](schedules.md) that ended: `done`, `failed`, `missed`, `refused`",
  },
  orch_webhook_calls_total: {
    kind: "counter",
    labels: ["outcome"],
    help: "Messages sent to webhooks: `accepted`, `replayed`, `unsigned`, `rate_limited`, `refused`",
  },
  orch_tool_hook_calls_total: {
    kind: "counter",
    labels: ["outcome"],
    help: "Calls of tools about which a [product's hook](catalog.md#hook-of-the-product) was asked: `allow`, `deny`, `ask`, `change`, or `failed` without a decision",
  },
  orch_tool_hook_seconds: {
    kind: "histogram",
    labels: [],
    help: "Time that products' hooks take to answer",
  },
  orch_notifications_total: {
    kind: "counter",
    labels: ["outcome"],
    help: "Tries of [notifications](notifications.md): `delivered`, `failed` and tried again, `dead`",
  },
  orch_console_sign_ins_total: {
    kind: "counter",
    labels: ["outcome"],
    help: "Sign-ins with the [identity provider](console.md#sign-in-with-an-identity-provider) of the console: `opened`, or why not",
  },
  orch_engines: { kind: "gauge", labels: ["state"], help: "Engines of this host" },
  orch_plan_engines: {
    kind: "gauge",
    labels: ["product", "plan"],
    help: "Engines of this host that have a [plan](plans.md)",
  },
  orch_ports: { kind: "gauge", labels: ["use"], help: "Ports: `taken`, `free`, `resting`, `quarantined`" },
  orch_boots: { kind: "gauge", labels: ["stage"], help: "Engines that are starting, and that wait to start" },
  orch_spares: { kind: "gauge", labels: ["state"], help: "Spares that are `ready`, and the `target`" },
  orch_spare_claims_total: {
    kind: "counter",
    labels: ["outcome"],
    help: "Starts of engines while spares are kept: `claimed`, `none_left`, `unfit`",
  },
  orch_awake_limit: {
    kind: "gauge",
    labels: [],
    help: "[engines that may be awake](settings.md#daemon) at the same time, 0 without a limit",
  },
  orch_awake_engine_bytes: {
    kind: "gauge",
    labels: [],
    help: "Memory of an awake engine, measured and smoothed; 40 MiB before the first measurement",
  },
  orch_database_up: {
    kind: "gauge",
    labels: [],
    help: "1 while the database answers; the metrics of engines, ports and disk stand still while it does not",
  },
  orch_leader: { kind: "gauge", labels: [], help: "1 while this daemon leads" },
  orch_leader_changes_total: {
    kind: "counter",
    labels: [],
    help: "How often this daemon learnt that another one than before leads",
  },
  orch_draining: { kind: "gauge", labels: [], help: "1 while the host accepts no new engines" },
  orch_breaker_open: { kind: "gauge", labels: [], help: "1 while restarts pause because many engines fail" },
  orch_orphans: { kind: "gauge", labels: [], help: "Running engine processes without a record" },
  orch_disk_free_bytes: { kind: "gauge", labels: [], help: "Free space of the data folder" },
  orch_backups_total: {
    kind: "counter",
    labels: ["outcome"],
    help: "Backups since the start of the daemon: `created`, `failed`",
  },
  orch_cost_today: {
    kind: "gauge",
    labels: ["product", "currency"],
    help: "[cost](operating.md#what-a-user-costs) of this UTC day so far, of the tokens that have a price",
  },
  orch_unpriced_tokens_today: {
    kind: "gauge",
    labels: ["product"],
    help: "Tokens of this UTC day whose price is unknown",
  },
  orch_backup_newest_timestamp_seconds: { kind: "gauge", labels: [], help: "Time of the newest backup, 0 without one" },
  orch_events_total: {
    kind: "counter",
    labels: ["type"],
    help: "[events](orchestrator-api.md#events) since the start of the daemon",
  },
  orch_daemon_spans_total: { kind: "counter", labels: ["outcome"], help: "Trace spans of the daemon" },
} as const satisfies Readonly<Record<string, MetricRow>>;
