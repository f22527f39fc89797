import type { Test } from "tap";
import type { TrajectoryStep } from "../../../src/contract/engine/memory.ts";
import { type OpenParts, openLearning } from "../../../src/engine/learning/open-learning.ts";
import { MemoryWriter } from "../../../src/engine/memory/memory-writer.ts";
import { learningTables } from "../../../src/engine/memory/open-memory.ts";
import { TRUST, type Trust } from "../../../src/engine/memory/trust.ts";
import { WriteLane } from "../../../src/engine/memory/write-lane.ts";
import { type Store, openStore } from "../../../src/engine/store/open-store.ts";
import { builtInNamed } from "../../helpers/built-in-tools.ts";
import { createLogger } from "../../../src/shared/logger.ts";
import { type Learned, type PageAnswer, scriptedModel } from "./scripted-model.ts";

/** A turn, and what the scripted model finds in it. */
export interface Told extends Partial<Learned> {
  readonly question: string;
  readonly answer?: string;
  readonly at?: string;
  readonly task?: string;
  readonly steps?: readonly TrajectoryStep[];
  readonly trust?: Trust;
  readonly notes?: readonly string[];
  readonly outcome?: "completed" | "errored";
}

const NEVER: OpenParts["schedule"] = { timer: () => () => undefined };

export interface LearningBench extends ReturnType<typeof openLearning> {
  readonly store: Store;
  readonly folder: string;
  readonly reloads: { count: number };
  /** Turns as if they had ended. Gives their ids. */
  tell(...rounds: readonly Told[]): readonly string[];
  rows(sql: string, ...parameters: readonly (string | number)[]): readonly Record<string, unknown>[];
  /** Contents of what is believed, and of what was. */
  live(): readonly string[];
  closed(): readonly string[];
}

/** Learning on a real store, by a scripted model unless a provider is given. */
export function learningBench(
  t: Test,
  options: Partial<OpenParts> & { readonly dataDir?: string; readonly store?: Store; readonly page?: PageAnswer } = {},
): LearningBench {
  const folder = options.dataDir ?? t.testdir();
  const store = options.store ?? openStore(folder);
  const record = new MemoryWriter(store, learningTables(store).index);
  const reloads = { count: 0 };
  const answers = new Map<string, Partial<Learned>>();
  const opened = openLearning({
    tables: learningTables(store),
    lane: new WriteLane(store),
    provider: scriptedModel(answers, options.page),
    models: { light: "light", main: "main" },
    toolNamed: builtInNamed,
    catalog: {
      folder: `${folder}/catalog`,
      catalog: { agents: new Map(), skills: new Map(), tools: new Map(), servers: { count: 0, texts: [] }, rules: [] },
      reload: () => {
        reloads.count++;
        const counts = { agents: 0, skills: 0, tools: 0, servers: 0, errors: [], warnings: [] };
        return Promise.resolve({ kind: "reloaded", answer: counts });
      },
    },
    isBusy: () => false,
    isAllowed: () => true,
    logger: createLogger("test", "silent"),
    ...(NEVER && { schedule: NEVER }),
    ...options,
  });
  t.teardown(async () => {
    await opened.learning.close();
    store.close();
  });
  let turns = Number(store.db.prepare("select count(*) as count from trajectories").get()?.["count"]);
  const rows: LearningBench["rows"] = (sql, ...parameters) => store.db.prepare(sql).all(...parameters);
  const contents = (where: string) =>
    rows(`select content from knowledge where ${where} order by number`).map(({ content }) => String(content));
  return {
    ...opened,
    store,
    folder,
    reloads,
    tell: (...rounds) =>
      rounds.map((round) => {
        const turnId = `turn_${++turns}`;
        answers.set(round.question, round);
        const startedAt = Date.parse(round.at ?? "2026-03-04T10:00:00Z") + turns * 1000;
        const taskId = round.task ?? `task ${turns}`;
        store.transaction(() => {
          for (const content of round.notes ?? [])
            record.note({ taskId, turnId, entryType: "note", content, createdAt: startedAt });
          record.round({
            taskId,
            turnId,
            question: round.question,
            answer: round.answer ?? "All right.",
            steps: round.steps ?? [],
            trust: round.trust ?? TRUST.model,
            outcome: round.outcome ?? "completed",
            errorCode: round.outcome === "errored" ? "CANCELLED" : null,
            usage: { inputTokens: 0, outputTokens: 0, cacheHitTokens: 0 },
            startedAt,
            endedAt: startedAt + 500,
          });
        });
        return turnId;
      }),
    rows,
    live: () => contents("recorded_to is null"),
    closed: () => contents("recorded_to is not null"),
  };
}
