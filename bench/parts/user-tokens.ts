import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createLogger } from "../../src/shared/logger.ts";
import { UserTokens } from "../../src/orchestrator/status/user-tokens.ts";
import { openDatabase } from "../../src/orchestrator/store/database.ts";
import { ProductDirectory } from "../../src/orchestrator/store/product-directory.ts";
import { SealedBox } from "../../src/orchestrator/store/sealed-box.ts";
import { type Call, call, median } from "../measure.ts";
import { type Row, difference, loneRow } from "../report.ts";
import type { Site } from "../site.ts";
import { firstEvent } from "./streams.ts";

const ROUNDS = 100;
const WARM_UP = 4;
const NEW_TOKENS = 50;
/** Each verification takes less than the clock's step, so that many are measured together. */
const TOGETHER = 1000;
const BATCHES = 50;

/** What a token of an end user costs: its verification, and the way of a turn by it. */
export async function userTokens(site: Site): Promise<readonly Row[]> {
  const engine = await site.provision("bearer");
  const rows = [...(await verification(site)), await firstEvents(site, engine)];
  await site.destroy("bearer");
  return rows;
}

async function mint(site: Site): Promise<string> {
  const url = `${site.url}/engines/bearer/tokens`;
  const { body } = await call(url, { method: "POST", headers: site.platform, body: {} });
  return (JSON.parse(body) as { readonly token: string }).token;
}

async function firstEvents(
  site: Site,
  { url, engine_api_key: key }: { readonly url: string; readonly engine_api_key: string },
): Promise<Row> {
  const request = (headers: Readonly<Record<string, string>>): Call => ({
    method: "POST",
    headers,
    body: { task_id: crypto.randomUUID(), message: "/say Hello." },
  });
  const policy = { user_requests_per_minute: null };
  await call(`${site.url}/products/${site.productId}/policy`, {
    method: "PUT",
    headers: { "x-admin-key": site.adminKey },
    body: policy,
  });
  const authorization = `Bearer ${await mint(site)}`;
  const rounds = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round < ROUNDS + WARM_UP; round++) {
    const theirs = await firstEvent(`${url}/execute`, request({ "x-engine-key": key }));
    const ours = await firstEvent(`${site.url}/me/execute`, request({ authorization }));
    if (round < WARM_UP) continue;
    rounds.ours.push(ours);
    rounds.theirs.push(theirs);
  }
  const what = "first event by a user's token at /me, against the engine's own port";
  return difference(what, { ...rounds, unit: "ms", aim: "≤ 1.2 ms more" });
}

/** In this process, with the daemon's own parts and its database. */
async function verification(site: Site): Promise<readonly Row[]> {
  const logger = createLogger("bench", "silent");
  const { db, newClient, close } = openDatabase({ connectionString: site.databaseUrl }, logger);
  const stop = new AbortController();
  try {
    const directory = new ProductDirectory(db);
    await directory.listen(newClient, logger, stop.signal);
    const box = new SealedBox((await readFile(join(site.dataDir, "secret-key"), "utf8")).trim());
    const tokens = new UserTokens({ db, box, directory, now: Date.now });
    const news: number[] = [];
    let token = "";
    for (let at = 0; at < NEW_TOKENS + WARM_UP; at++) {
      token = await mint(site);
      const began = performance.now();
      if ((await tokens.verify(token)) === null) throw new Error("the daemon's token is not valid");
      if (at >= WARM_UP) news.push(performance.now() - began);
    }
    const known: number[] = [];
    for (let batch = 0; batch < BATCHES; batch++) {
      const began = performance.now();
      for (let at = 0; at < TOGETHER; at++) await tokens.verify(token);
      known.push(((performance.now() - began) / TOGETHER) * 1000);
    }
    return [
      loneRow("verification of a user's token", { value: median(known), unit: "µs", aim: "≤ 50 µs" }),
      loneRow("… of one that is seen first, with its query", { value: median(news), unit: "ms", aim: "–" }),
    ];
  } finally {
    stop.abort();
    await close();
  }
}
