import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { listProcesses } from "../../src/sandbox/processes/process-table.ts";
import { type Call, call, open } from "../measure.ts";
import { type Row, loneRow, row } from "../report.ts";
import type { Engine, Site } from "../site.ts";

const ROUNDS = 5;
const TURNS = 40;
const WARM_UP = 50;
const FORKING = 200;
/** The name of its processes. */
const NAME = "orchd-bomb";
/** Forks up to the limit of processes, and ends by itself. */
const BOMB = `exec perl -e '$0 = "${NAME}"; my $end = time + 60; while (time < $end) { fork; select(undef, undef, undef, 0.01); }'`;

/** What one user's engine does while another user's command forks without end, against what it does alone. */
export async function neighbours(site: Site): Promise<readonly Row[]> {
  const [alice, bob] = [await site.provision("alice"), await site.provision("bob")];
  let turns = 0;
  const firstEvents = async (count: number): Promise<number[]> => {
    const times: number[] = [];
    for (let turn = 0; turn < count; turn++) times.push(await firstEvent(bob, `bob-${turns++}`));
    return times;
  };
  await firstEvents(WARM_UP);
  const idle: number[] = [];
  const bombed: number[] = [];
  let left = 0;
  for (let round = 0; round < ROUNDS; round++) {
    idle.push(...(await firstEvents(TURNS)));
    const stop = await startBomb(alice, `alice-${round}`);
    bombed.push(...(await firstEvents(TURNS)));
    await stop();
    await sleep(1000);
    left += bombs();
  }
  for (const user of ["alice", "bob"]) await site.destroy(user);
  return [
    row("first event of bob's turn while alice's command forks without end", {
      ours: bombed,
      theirs: idle,
      unit: "ms",
      aim: "≤ 2.0",
    }),
    loneRow("… processes of hers left one second after the cancel", { value: left, aim: "0" }),
  ];
}

const wishOf = ({ engine_api_key: key }: Engine, body: unknown): Call => ({
  method: "POST",
  headers: { "x-engine-key": key },
  body,
});

async function firstEvent(engine: Engine, task_id: string): Promise<number> {
  const began = performance.now();
  let firstMs: number | undefined;
  for await (const chunk of await open(`${engine.url}/execute`, wishOf(engine, { task_id, message: "/say Hello." })))
    if (String(chunk).includes("event: ")) firstMs ??= performance.now() - began;
  return firstMs ?? Number.NaN;
}

/** Resolves, once it has forked up to its limit, with what cancels the turn and waits for its end. */
async function startBomb(engine: Engine, task_id: string): Promise<() => Promise<void>> {
  const message = `/tool run_command ${JSON.stringify({ command: BOMB })}`;
  const stream = await open(`${engine.url}/execute`, wishOf(engine, { task_id, message }));
  const ended = allowAndRead(engine, stream);
  while (bombs() < FORKING) await sleep(20);
  return async () => {
    const { status, body } = await call(`${engine.url}/execute/cancel`, wishOf(engine, { task_id }));
    if (status >= 300) throw new Error(`cancel answered ${status}: ${body}`);
    await ended;
  };
}

async function allowAndRead(engine: Engine, stream: AsyncIterable<unknown>): Promise<void> {
  let text = "";
  let allowed = false;
  for await (const chunk of stream) {
    text += String(chunk);
    const request = /"request_id":"([^"]+)"/.exec(text)?.[1];
    if (allowed || request === undefined) continue;
    allowed = true;
    await call(`${engine.url}/hitl/respond`, wishOf(engine, { request_id: request, answer: "allow_once" }));
  }
}

const bombs = (): number => listProcesses().filter(({ pid }) => nameOf(pid) === NAME).length;

function nameOf(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
  } catch (error) {
    if (error instanceof Error && "code" in error && ["ENOENT", "ESRCH"].includes(String(error.code))) return null;
    throw error;
  }
}
