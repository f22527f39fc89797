import type { History } from "./history.ts";
import type { Outcome } from "./score.ts";
import type { SystemKind } from "./system.ts";

/** Opens a system of its own for a history, and asks it all its questions one after the other. */
export async function ask(kind: SystemKind, history: History): Promise<readonly Outcome[]> {
  const system = await kind.open();
  try {
    await system.load({ id: history.id, conversations: history.conversations });
    const outcomes: Outcome[] = [];
    for (const question of history.questions) {
      const began = performance.now();
      const found = await system.search({ query: question.text, now: question.now, limit: 10 });
      outcomes.push({ question, found, ms: performance.now() - began });
    }
    return outcomes;
  } finally {
    await system.close();
  }
}
