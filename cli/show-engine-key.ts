import type { EngineRecord } from "../src/contract/orchestrator-api.ts";
import { safe } from "./output.ts";
import type { Session } from "./session.ts";

export type EngineWithKey = EngineRecord & { readonly engine_api_key: string | null };

/** Prints an engine and the key that is shown only now, and keeps the key for the next commands. */
export async function showEngineWithKey(
  { credentials, print }: Session,
  engine: EngineWithKey,
  { save }: { readonly save: boolean },
): Promise<void> {
  const { engine_api_key: key } = engine;
  // Printed first: were the key not to be kept after all, it would still have been shown.
  print.document(engine, () =>
    [
      `${safe(engine.user_id)} is ${engine.state} at ${engine.url}`,
      ...(key === null ? [] : ["", "Engine key, shown only now:", `  ${key}`]),
    ].join("\n"),
  );
  if (key === null || !save) return;
  await credentials.saveEngineKey(engine, key);
  print.note(`Kept in ${credentials.path}.`);
}
