import { end, startServer, throughput } from "../measure.ts";
import { type Row, row } from "../report.ts";
import type { Site } from "../site.ts";

const ROUNDS = 5;
const WARM_UP = 1;
const LOAD = { seconds: 2, connections: 16 };

/** Authenticated look-ups a second, against one Express route with one indexed query. */
export async function lookUp(site: Site): Promise<readonly Row[]> {
  await site.provision("alice");
  const env = { DATABASE_URL: site.databaseUrl, PRODUCT_ID: site.productId };
  const bare = await startServer("bare-express.mjs", { env });
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS + WARM_UP; round++) {
    const theirRate = await throughput(`${bare.url}/engines/alice`, LOAD);
    const ourRate = await throughput(`${site.url}/engines/alice`, { ...LOAD, headers: site.platform });
    if (round < WARM_UP) continue;
    ours.push(ourRate);
    theirs.push(theirRate);
  }
  await end(bare.child);
  await site.destroy("alice");
  return [row("authenticated GET /engines/{user_id}", { ours, theirs, unit: "/s", aim: "≥ 0.6" })];
}
