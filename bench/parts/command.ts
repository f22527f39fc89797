import { type BenchEngine, startEngine } from "../engine.ts";
import { median, open, residentMiB } from "../measure.ts";
import { type Row, difference } from "../report.ts";
import type { Site } from "../site.ts";

const ROUNDS = 5;
const COMMANDS = 40;
/** The first ones start the thread and are compiled. */
const WARM_UP = 10;
const AGENT =
  "---\nname: default\ndescription: Runs commands.\npermissions:\n  run_command: allow\n---\nRun commands.\n";
const TURN = '/tool run_command {"command":"true"}\n/say done';

/** A turn with one shell command, and the memory after them, of an engine that confines its tools and of one that does not. */
export async function command(site: Site): Promise<readonly Row[]> {
  const catalog = { "agents/default.md": AGENT };
  const rounds = { isolated: [] as Round[], plain: [] as Round[] };
  for (let round = 0; round <= ROUNDS; round++) {
    const isolated = await startEngine(
      site,
      {},
      { catalog, isolation: { engine: true, tools: true, sockets: true, required: false, read: [] } },
    );
    const plain = await startEngine(site, {}, { catalog });
    const [ours, theirs] = await measure(isolated, plain);
    await isolated.stop();
    await plain.stop();
    // The first engines compile what the others find.
    if (round === 0) continue;
    rounds.isolated.push(ours);
    rounds.plain.push(theirs);
  }
  const rowOf = (what: string, field: keyof Round, [unit, aim]: readonly [string, string]): Row =>
    difference(what, {
      ours: rounds.isolated.map((one) => one[field]),
      theirs: rounds.plain.map((one) => one[field]),
      unit,
      aim,
    });
  return [
    rowOf("a command, isolated against not", "ms", ["ms", "≤ 5 ms more"]),
    rowOf("… the first one", "firstMs", ["ms", "–"]),
    rowOf("resident memory after the first command", "firstMiB", ["MiB", "≤ 20 MiB more"]),
    rowOf(`… after ${COMMANDS + WARM_UP}`, "MiB", ["MiB", "≤ 20 MiB more"]),
  ];
}

interface Round {
  readonly firstMs: number;
  readonly ms: number;
  readonly firstMiB: number;
  readonly MiB: number;
}

/** Command by command in turn, so that both meet the same machine. */
async function measure(...engines: [BenchEngine, BenchEngine]): Promise<[Round, Round]> {
  const times = engines.map((): number[] => []);
  const firstMiB = engines.map(() => 0);
  // Loads what a turn needs.
  for (const engine of engines) await turn(engine, "/say hello");
  for (let count = 0; count < COMMANDS + WARM_UP; count++) {
    for (const [index, engine] of engines.entries()) {
      times[index]?.push(await turn(engine, TURN));
      if (count === 0) firstMiB[index] = residentMiB(engine.pid);
    }
  }
  const round = (index: 0 | 1): Round => ({
    firstMs: times[index]?.[0] ?? Number.NaN,
    ms: median(times[index]?.slice(WARM_UP) ?? []),
    firstMiB: firstMiB[index] ?? Number.NaN,
    MiB: residentMiB(engines[index].pid),
  });
  return [round(0), round(1)];
}

async function turn(engine: BenchEngine, message: string): Promise<number> {
  const began = performance.now();
  const response = await open(`${engine.url}/execute`, engine.request({ task_id: "command", message }));
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += String(chunk);
  const took = performance.now() - began;
  if (!/"phase":"completed"/.test(text) || /"error":"/.test(text)) throw new Error(`the turn failed: ${text}`);
  return took;
}
