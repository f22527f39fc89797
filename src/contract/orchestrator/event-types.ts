/** Every event type with its meaning. */
export const ORCHESTRATOR_EVENTS = {
  "product.registered": "A product was registered.",
  "product.policy_changed": "A product's policy was changed.",
  "product.plan_changed": "A plan of a product was created or changed: `data.plan`, `data.policy`.",
  "product.plan_deleted":
    "A plan was deleted: `data.plan`, `data.replace_by`, and how many engines had it: `data.engines`.",
  "product.key_rotated": "A product's platform key was replaced.",
  "product.hook_secret_rotated": "The secret of a product's hook on tools was replaced.",
  "product.deleted": "A product was deleted.",
  "catalog.pushed": "A product's catalog has a new version: `data.version`, `data.digest`, `data.files`, `data.bytes`.",
  "catalog.rolled_back": "A product's catalog has the files of `data.restored_from` again, as `data.version`.",
  "knowledge.changed":
    "A document of a product's [knowledge](knowledge.md) was stored or deleted: `data.path`, `data.version`, and `data.deleted`.",
  "engine.provisioned": "An engine was created: its row, port and key exist.",
  "engine.starting": "An engine starts on request.",
  "engine.running": "An engine is healthy, for the first time in this incarnation or again.",
  "engine.unhealthy": "An engine runs but missed 3 health probes.",
  "engine.crashed": "An engine ended unexpectedly. It restarts at `data.next_at`.",
  "engine.restarting": "An engine that ended restarts.",
  "engine.gave_up":
    "An engine is `failed`: it did not start, or used up its restarts. `reason` and `data` describe its last end: `phase`, `exit_code`, `signal`, `oom`, `log_tail`.",
  "engine.stopping": "An engine is being stopped or destroyed.",
  "engine.stopped": "An engine is stopped.",
  "engine.slept":
    "An engine is asleep: its process is gone, and its address waits for calls. `reason`: `idle`, `request` or `capacity`.",
  "engine.woke": "An engine that slept starts. `reason`: `call`, `start`, `admit`, `lookup`, `schedule` or `learning`.",
  "engine.adopted": "A daemon found an engine that an earlier daemon started.",
  "engine.key_rotated": "An engine's key was replaced.",
  "engine.plan_changed": "An engine has another plan: `data.from`, `data.to`.",
  "engine.policy_changed": "What is set for one engine alone was changed: `data.policy`.",
  "engine.destroyed": "An engine was destroyed.",
  "engine.leaked": "Processes of an engine do not end, or keep its port: `data.pids`.",
  "budget.warned":
    "A budget is spent to its `warn_at`, for the first time in its period: `data.budget`, `data.period`, `data.spent`, `data.limit`. `user_id` is null for one of the whole product.",
  "budget.spent": "A budget is spent: model calls are refused until its period ends. Fields as of `budget.warned`.",
  "secret.misused":
    "A request of an engine or its tools with the placeholder of a [secret](secrets.md#secrets-for-tools) was refused: `data.name`, `data.host`, `reason`: `other engine`, `other host`, `not https` or `other place`.",
  "schedule.created": "A schedule or webhook was created: `data.schedule_id` or `data.webhook_id`.",
  "schedule.changed": "A schedule or webhook was changed: `data.fields`.",
  "schedule.deleted": "A schedule or webhook was deleted.",
  "schedule.ran": "A run of a schedule or webhook is done: `data.run_id`, `data.turn_id`.",
  "schedule.failed": "A run failed or was refused: `reason`, `data.state`.",
  "schedule.missed": "A run was due and did not start in time: `reason`.",
  "turn.completed":
    "A turn is completed: `data.turn_id`, `data.task_id`. This one and the next three are stored only of products with a [notification](notifications.md) endpoint that wants them.",
  "turn.failed": "A turn failed: also `data.error`, its code.",
  "turn.cancelled": "A turn was cancelled.",
  "task.titled": "A model gave a task its title: `data.task_id`.",
  "turn.waiting":
    "A turn waits for a person or a client: `data.turn_id`, `data.task_id`, and `data.run_id` of a turn of a schedule or webhook. Of other turns, with `data.request_id`, it is stored like `turn.completed`. `GET /hitl/pending` of the engine has the question, `GET /tools/pending` the call.",
  "secret.connected": "A user has signed in to a tool server: `data.server`.",
  "secret.disconnected":
    "The [connection](secrets.md#connections) of a user to a tool server was deleted: `data.server`.",
  "secret.needs_login":
    "A user has to sign in again: a tool server's authorization server has refused to renew the tokens. `data.server`, `reason`.",
  "host.draining": "The host accepts no new engines.",
  "host.resumed": "The host accepts new engines again.",
  "host.leader_changed": "Another daemon leads the host: `data.leader`, `data.previous`, `data.epoch`.",
  "host.port_taken": "Another program listens on the port of an engine. The engine got another port.",
  "host.calls_refused":
    "While no daemon ran, `data.engines` sleeping engines refused calls: nothing kept their sockets. `data.since`: the last event before.",
  "host.breaker_opened": "Many engines failed at once. Restarts pause.",
  "host.breaker_closed": "Restarts continue.",
  "host.backup_created":
    "A backup is complete: `data.name`, `data.bytes`. `data.incomplete` counts engines of which files could not be read.",
  "host.backup_failed": "A backup failed: `reason`.",
  "host.restored":
    "The host was restored from a backup: `data.created_at`. `data.schedules_paused`: until an operator resumes them.",
  "host.schedules_resumed": "The schedules of a restored host run again.",
  "host.identity_key_rotated":
    "Another key signs [identity tokens](identity.md#rotation): `data.kid`, `data.replaces`, `data.at_once`.",
} as const satisfies Record<string, string>;
export type EventType = keyof typeof ORCHESTRATOR_EVENTS;

/** The cause of a change: a product's call, an operator's call, or the daemon itself. */
export const ACTORS = ["product", "admin", "orchd"] as const;
export type Actor = (typeof ACTORS)[number];

/** The first frame of a live stream when events after the reader's last one are no longer stored. */
export const GAP_EVENT = "gap";
