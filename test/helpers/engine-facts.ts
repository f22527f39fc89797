import type { EngineFacts } from "../../src/engine/tools/call-facts.ts";

/** What an engine of this user knows. */
export const factsOf = (userId: string, metadata: EngineFacts["metadata"] = {}): EngineFacts => ({
  userId,
  engineId: "eng_1",
  metadata,
});
