import { DatabaseSync } from "node:sqlite";
import { type Talk, textOf } from "./history.ts";
import type { Found, Search, System, SystemKind } from "./system.ts";

interface Text {
  readonly id: string;
  readonly text: string;
}

/** The baselines: what SQLite does with the question's words and nothing else. */
export const FTS5_CONVERSATIONS: SystemKind = {
  name: "fts5-conversations",
  open: () =>
    Promise.resolve(
      new Fts5(({ conversations }) =>
        conversations.map(({ id, rounds }) => ({ id, text: rounds.map(textOf).join("\n") })),
      ),
    ),
};

export const FTS5_ROUNDS: SystemKind = {
  name: "fts5-rounds",
  open: () =>
    Promise.resolve(
      new Fts5(({ conversations }) =>
        conversations.flatMap(({ rounds }) => rounds.map((round) => ({ id: round.id, text: textOf(round) }))),
      ),
    ),
};

class Fts5 implements System {
  readonly #database = new DatabaseSync(":memory:");
  readonly #textsOf: (talk: Talk) => readonly Text[];

  constructor(textsOf: (talk: Talk) => readonly Text[]) {
    this.#textsOf = textsOf;
  }

  load(talk: Talk): Promise<void> {
    this.#database.exec("CREATE VIRTUAL TABLE texts USING fts5(id UNINDEXED, text, tokenize = 'porter unicode61')");
    const insert = this.#database.prepare("INSERT INTO texts (id, text) VALUES (?, ?)");
    for (const { id, text } of this.#textsOf(talk)) insert.run(id, text);
    return Promise.resolve();
  }

  search({ query, limit }: Search): Promise<Found> {
    const terms = new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu));
    const match = [...terms].map((term) => `"${term}"`).join(" OR ");
    const rows = this.#database
      .prepare("SELECT id, text FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?")
      .all(match, limit);
    return Promise.resolve({ hits: rows.map(({ id, text }) => ({ of: [String(id)], text: String(text) })) });
  }

  close(): Promise<void> {
    this.#database.close();
    return Promise.resolve();
  }
}
