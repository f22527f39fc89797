import type { EngineRecord } from "../src/contract/orchestrator-api.ts";
import { keepThenShow } from "./keep-key.ts";
import { safe } from "./output.ts";
import type { Session } from "./session.ts";

export type EngineWithKey = EngineRecord & { readonly engine_api_key: string | null };

/** Prints an engine and the key that is shown only now; the key is kept for the next commands. */
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
  await keepThenShow(() => credentials.saveEngineKey(engine, key), show);
  print.note(`Kept in ${credentials.path}.`);
}
