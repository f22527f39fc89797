import type { ColumnType, Generated, JSONColumnType, Selectable } from "kysely";
import type { EngineHandle } from "../../contract/orchestrator/engine-handle.ts";
import type { Actor, EventType } from "../../contract/orchestrator/event-types.ts";
import type { SleepReason, WakeReason } from "../../contract/engine/sleep.ts";
import type { CatalogFile } from "../../contract/orchestrator/catalog.ts";
import type { PolicyLayer } from "../../contract/orchestrator/engine-policy.ts";
import type { ConsoleLinksTable, ConsoleSessionsTable } from "./console-tables.ts";
import type { KnowledgeDocumentsTable } from "./knowledge-tables.ts";
import type { ConnectionsTable, LoginClientsTable, LoginsTable, RevocationsTable } from "./login-tables.ts";
import type {
  NotificationDeliveriesTable,
  NotificationEndpointsTable,
  NotificationPositionTable,
} from "./notification-tables.ts";
import type { OpenQuestionsTable } from "./question-tables.ts";
import type { DataKeysTable, SecretsTable } from "./secret-tables.ts";
import type { ScheduledRunsTable, SchedulesTable, WebhooksTable } from "./schedule-tables.ts";
import type { DesiredState, EngineState, LastError, Policy } from "../../contract/orchestrator/requests.ts";

type CreatedAt = ColumnType<Date, Date | undefined, never>;
type Json<T> = JSONColumnType<T & object>;

interface CatalogArchivesTable {
  product_id: string;
  digest: string;
  /** Sealed with the deployment's secret key. */
  archive: Buffer;
}

interface CatalogVersionsTable {
  product_id: string;
  version: number;
  digest: string | null;
  files: JSONColumnType<CatalogFile[]>;
  bytes: number;
  restored_from: number | null;
  actor: Actor;
  created_at: CreatedAt;
}

interface ProductsTable {
  id: string;
  slug: string;
  name: string | null;
  policy: Json<Policy>;
  /** `engine_env` sealed with the deployment's secret key. */
  engine_env: Buffer | null;
  engine_env_names: Generated<string[]>;
  /** Sealed like `engine_env`. Null before the product's first hook on tools. */
  tool_hook_secret: Buffer | null;
  tool_hook_previous_secret: Buffer | null;
  tool_hook_previous_expires_at: Date | null;
  /** 0 before the first version of its catalog. */
  catalog_version: Generated<number>;
  catalog_digest: string | null;
  /** 0 before the first version of its knowledge. */
  knowledge_version: Generated<number>;
  knowledge_digest: string | null;
  /** Set while the product is being deleted. */
  deletion_started_at: Date | null;
  created_at: CreatedAt;
  updated_at: Generated<Date>;
}

interface ProductKeysTable {
  hash: string;
  product_id: string;
  prefix: string | null;
  last4: string | null;
  created_at: CreatedAt;
  /** Null for the current key. */
  expires_at: Date | null;
}

interface PlansTable {
  product_id: string;
  name: string;
  policy: Json<PolicyLayer>;
  created_at: CreatedAt;
  updated_at: Generated<Date>;
}

export interface EnginesTable {
  id: string;
  product_id: string;
  user_id: string;
  host_id: string;
  state: EngineState;
  desired_state: DesiredState;
  provisioned: Generated<boolean>;
  deadline_at: Date | null;
  /** A destroy keeps the user's data for the next engine. */
  keep_data: Generated<boolean>;
  /** Null where the backend gives engines addresses of their own. */
  port: number | null;
  /** The user id of its processes and files. Null while they are the daemon's own. */
  uid: number | null;
  incarnation: string;
  /** Of its recorded process. Null without one. */
  handle: JSONColumnType<EngineHandle, string | null, string | null> | null;
  version: string | null;
  key_hash: string;
  key_prefix: string;
  key_last4: string;
  key_created_at: Generated<Date>;
  previous_key_hash: string | null;
  previous_key_expires_at: Date | null;
  restart_count: Generated<number>;
  restart_window_started_at: Date | null;
  next_restart_at: Date | null;
  last_error: JSONColumnType<LastError, string | null, string | null> | null;
  stop_reason: string | null;
  /** When it was last asleep, and why. */
  slept_at: Date | null;
  sleep_reason: SleepReason | null;
  /** What woke this incarnation. Null when it was started otherwise. */
  woken_by: WakeReason | null;
  metadata: Json<Record<string, unknown>>;
  plan: string | null;
  /** What is set for this engine alone. */
  own_policy: ColumnType<PolicyLayer, string | undefined, string>;
  /** Grows with each change of the two. */
  policy_changes: Generated<number>;
  /** Questions to people, as the incarnation `questions_of` last reported them. */
  open_questions: Generated<number>;
  questions_of: string | null;
  questions_revision: Generated<string>;
  /** The incarnation that ended with all of its usage and notices collected. */
  usage_collected: string | null;
  /** Grows with each revocation of the user's tokens. */
  token_epoch: Generated<number>;
  /** When they were last revoked. */
  tokens_revoked_at: Date | null;
  last_active_at: Date | null;
  created_at: CreatedAt;
  started_at: Date | null;
  stopped_at: Date | null;
}

interface PortsTable {
  host_id: string;
  port: number;
  engine_id: string | null;
  released_at: Generated<Date>;
  quarantined_until: Generated<Date>;
}

export interface EventsTable {
  /** Assigned by the database in commit order. */
  seq: Generated<string>;
  id: string;
  time: Generated<Date>;
  host_id: string;
  type: EventType;
  product_id: string | null;
  user_id: string | null;
  engine_id: string | null;
  incarnation: string | null;
  from_state: EngineState | null;
  to_state: EngineState | null;
  reason: string | null;
  actor: Actor;
  request_id: string | null;
  data: Json<Record<string, unknown>>;
}

interface AuditLogTable {
  seq: string;
  entry: string;
  prev_hash: string;
  hash: string;
}

interface HostsTable {
  host_id: string;
  draining: Generated<boolean>;
  /** Set by a restore, until an operator resumes the schedules. */
  schedules_paused: Generated<boolean>;
  /** Grows with each daemon that begins to lead. */
  epoch: Generated<string>;
  leader_name: Generated<string | null>;
  leader_url: Generated<string | null>;
  leader_place: Generated<string | null>;
  leader_since: Generated<Date | null>;
}

interface IdempotencyKeysTable {
  scope: string;
  key: string;
  fingerprint: string;
  claim: string;
  host_id: string;
  status: number | null;
  body: string | null;
  expires_at: Date;
}

interface TokenKeysTable {
  kid: string;
  /** Sealed with the deployment's secret key. */
  private_key: Buffer;
  public_key: string;
  created_at: CreatedAt;
  /** Null for the one that signs. */
  replaced_at: Date | null;
}

interface IdentityKeysTable {
  kid: string;
  /** Sealed with the deployment's secret key. */
  private_key: Buffer;
  public_key: string;
  created_at: CreatedAt;
  signs_from: Generated<Date>;
  /** Null for the newest. */
  replaced_at: Date | null;
}

export interface Database {
  notification_endpoints: NotificationEndpointsTable;
  notification_deliveries: NotificationDeliveriesTable;
  notification_position: NotificationPositionTable;
  token_keys: TokenKeysTable;
  data_keys: DataKeysTable;
  secrets: SecretsTable;
  identity_keys: IdentityKeysTable;
  products: ProductsTable;
  product_keys: ProductKeysTable;
  catalog_archives: CatalogArchivesTable;
  catalog_versions: CatalogVersionsTable;
  knowledge_documents: KnowledgeDocumentsTable;
  plans: PlansTable;
  engines: EnginesTable;
  ports: PortsTable;
  idempotency_keys: IdempotencyKeysTable;
  events: EventsTable;
  audit_log: AuditLogTable;
  hosts: HostsTable;
  schedules: SchedulesTable;
  webhooks: WebhooksTable;
  scheduled_runs: ScheduledRunsTable;
  console_sessions: ConsoleSessionsTable;
  console_links: ConsoleLinksTable;
  open_questions: OpenQuestionsTable;
  connections: ConnectionsTable;
  logins: LoginsTable;
  login_clients: LoginClientsTable;
  revocations: RevocationsTable;
}

export type EngineRow = Selectable<EnginesTable>;
