import { request as httpRequest } from "node:http";
import { text } from "node:stream/consumers";
import type { CatalogPushed } from "../../src/contract/orchestrator/catalog.ts";
import { catalogArchive } from "../../test/helpers/catalog-archive.ts";
import { call, inParallel, open } from "../measure.ts";
import { type Row, loneRow, row } from "../report.ts";
import { type Engine, type Site } from "../site.ts";

const ENGINES = Number(process.env["BENCH_ENGINES"] ?? 200);
const CALLS = 50;
const ROUNDS = 3;
/** As many as the daemon lets reload at a time. */
const RELOADS = 16;
const TURNS = 20;
/** Longer than a push. */
const TURN = "/stream 300 60";
const AGENTS = 20;

/** A catalog pushed to running engines while some of them work, against a loop that tells each engine to reload. */
export async function catalog(site: Site): Promise<readonly Row[]> {
  const engines: Engine[] = [];
  const users = Array.from({ length: ENGINES }, (_, index) => `catalog-${index}`);
  await inParallel(users, CALLS, async (user) => {
    engines.push(await site.provision(user));
  });
  const [ours, theirs]: [number[], number[]] = [[], []];
  let [behind, disturbed] = [0, 0];
  for (let round = 0; round < ROUNDS; round++) {
    const working = () => engines.slice(0, TURNS).map((engine) => turn(engine, crypto.randomUUID()));
    const turns = working();
    const began = performance.now();
    const { engines: reached } = await push(site, round);
    ours.push((performance.now() - began) / 1000);
    behind += ENGINES - (reached?.reloaded ?? 0);
    disturbed += (await Promise.all(turns)).filter((isWhole) => !isWhole).length;
    const floorTurns = working();
    const floorBegan = performance.now();
    await inParallel(engines, RELOADS, async ({ url, engine_api_key: key }) => {
      const answer = await call(`${url}/admin/reload-catalog`, { method: "POST", headers: { "x-engine-key": key } });
      if (answer.status !== 200) throw new Error(answer.body);
    });
    theirs.push((performance.now() - floorBegan) / 1000);
    await Promise.all(floorTurns);
  }
  await inParallel(users, CALLS, (user) => site.destroy(user));
  return [
    row(`a catalog of ${AGENTS} agents pushed to ${ENGINES} running engines`, {
      ours,
      theirs,
      unit: "s",
      aim: "≤ 5 s",
    }),
    loneRow("… engines that do not use it then", { value: behind, aim: "0" }),
    loneRow(`… of ${ROUNDS * TURNS} turns meanwhile, disturbed`, { value: disturbed, aim: "0" }),
  ];
}

/** Whether the turn has come to its end. */
async function turn({ url, engine_api_key: key }: Engine, taskId: string): Promise<boolean> {
  const response = await open(`${url}/execute`, {
    method: "POST",
    headers: { "x-engine-key": key },
    body: { task_id: taskId, message: TURN },
  });
  const frames = await text(response);
  return frames.includes('"phase":"completed"') && frames.split("event: text_delta").length > 1;
}

async function push(site: Site, round: number): Promise<CatalogPushed> {
  const agents = Array.from({ length: AGENTS }, (_, at) => [
    `agents/clerk-${at}.md`,
    `---\nname: clerk-${at}\ndescription: Does what clerk ${at} does.\n---\nRound ${round}. ${"Be careful. ".repeat(100)}\n`,
  ]);
  const archive = await catalogArchive(Object.fromEntries(agents));
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${site.url}/catalog`, { method: "PUT", headers: { ...site.platform } }, (response) => {
      text(response).then((body) => {
        if (response.statusCode === 200) resolve(JSON.parse(body) as CatalogPushed);
        else reject(new Error(body));
      }, reject);
    });
    request.on("error", reject);
    request.end(archive);
  });
}
