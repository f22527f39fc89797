import type { Figures } from "./parts/report.ts";

/** A run that takes from minutes to hours. `npm run reliability` runs it whole and keeps what it reported. */
export interface LongRun {
  /** What Node.js runs, from the repository's root. */
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What holds throughout. Markdown. */
  readonly promise: string;
  /** What is done to it meanwhile. Markdown. */
  readonly injected: string;
  /** Figures that are 0 when it holds. A test fails by itself. */
  readonly none?: readonly string[];
}

/** How a run went. `results/` has the newest of each. */
export interface RunResult {
  readonly finished_at: string;
  /** Of the tree. */
  readonly commit: string;
  readonly seconds: number;
  readonly held: boolean;
  readonly figures: Figures;
}

const file = (name: string, promise: string, injected: string): LongRun => ({
  command: [`test/faults/${name}.test.ts`],
  env: { ORCHD_FAULTS: "long" },
  promise,
  injected,
});

export const LONG_RUNS: Readonly<Record<string, LongRun>> = {
  soak: file(
    "sleep-soak",
    "An engine that falls asleep or wakes loses no call and no turn",
    "`SIGKILL` of the daemon, and of engines on their way to sleep and up",
  ),
  wakes: {
    command: ["bench/main.ts", "wakes"],
    promise: "A call of a sleeping user is answered, whoever else is called",
    injected: "a thousand users who sleep after ten idle seconds, five of them called each second",
    none: ["… lost", "… turns lost"],
  },
  leaders: file(
    "leader-kills",
    "A call with an `Idempotency-Key` is answered by another replica within its deadline, and nothing is started twice",
    "`SIGKILL` of the leader of three replicas, each fifth time `SIGSTOP` and later `SIGCONT`",
  ),
  commands: file(
    "random-commands",
    "Every engine comes to rest in a state that its record names, with at most one process",
    "for an hour: random calls of twelve clients, some of them aborted, `SIGKILL` of engines and of the daemon",
  ),
  backups: file(
    "backups-under-load",
    "A backup has each turn that had ended before it, once",
    "turns of six users, a quarter of a second apart",
  ),
  conversations: file(
    "conversation-walk",
    "Each message is taken once and in order, and the replay equals what was streamed",
    "random commands of a conversation, `SIGKILL` and drain of the engine",
  ),
  brokers: file(
    "broker-kills",
    "No turn is lost when the broker dies in the middle of an answer",
    "`SIGKILL` of the broker under fifty streams",
  ),
  logins: file(
    "login-refreshes",
    "Nobody has to sign in again at a tool server",
    "`SIGKILL` of the daemon while tokens are refreshed",
  ),
  schedules: file(
    "schedules-once",
    "Each run of a schedule happens once",
    "`SIGKILL` of the daemon, a fault at each call",
  ),
  answers: file(
    "lost-answers",
    "An operation whose statement ran but whose answer was lost is settled soon, and counted once",
    "the connection to PostgreSQL ends after the statement, at each statement of each operation",
  ),
  fleets: {
    command: ["test/sim/campaign.ts"],
    promise: "What a fleet promises holds at each step, whatever fails when, in simulated fleets",
    injected:
      "random calls of clients; engines, daemons and PostgreSQL that fail at any time, also in the middle of a change",
    none: ["fleets that broke a promise"],
  },
  mutations: {
    command: ["test/sim/campaign.ts", "--mutations"],
    promise: "A bug that is put into the product shows in simulated fleets",
    injected: "dropped fences, steps, retries and deadlines, one at a time",
    none: ["not found"],
  },
};
