import type { EngineWithKey } from "../src/client/orchestrator-client.ts";
import { safe } from "./output.ts";
import { saveThenShow } from "./save-key.ts";
import type { Session } from "./session.ts";

/** Prints an engine and its key, which is shown only now, and saves the key for later commands. */
export async function showEngineWithKey(
  { credentials, print }: Session,
  engine: EngineWithKey,
  { save }: { readonly save: boolean },
): Promise<void> {
  const { engine_api_key: key } = engine;
  const show = () =>
    print.document(engine, () =>
      [
        `${safe(engine.user_id)} is ${engine.state} at ${engine.url}`,
        ...(key === null ? [] : ["", "Engine key, shown only now:", `  ${key}`]),
      ].join("\n"),
    );
  if (key === null || !save) return show();
  await saveThenShow(() => credentials.saveEngineKey(engine, key), show);
  print.note(`Saved in ${credentials.path}.`);
}
