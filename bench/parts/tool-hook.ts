import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { call, percentile } from "../measure.ts";
import { type Row, difference } from "../report.ts";
import type { Engine, Site } from "../site.ts";

const ROUNDS = 8;
const TURNS = 60;
const HOOKED = "/tool list_files {}\n/say done";
const OTHER = '/tool search_files {"pattern":"nothing"}\n/say done';

/** What a hook of the product on this machine adds to a turn with one call. Floor: the same engine without a hook. */
export async function toolHook(site: Site): Promise<readonly Row[]> {
  const server = createServer((request, response) => {
    request.resume().once("end", () => response.end('{"verdict":"allow"}'));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const hook = { url: `http://${host}/`, tools: ["list_files"] };
  const engine = await site.provision("hooked");
  const found: Record<"asked" | "other", { ours: number[]; theirs: number[] }> = {
    asked: { ours: [], theirs: [] },
    other: { ours: [], theirs: [] },
  };
  // The first round is for the compiler.
  for (let round = 0; round <= ROUNDS; round++)
    for (const [whose, tool_hook] of [
      ["theirs", null],
      ["ours", hook],
    ] as const) {
      await site.setPolicy({ private_hosts: [host], tool_hook });
      for (const [kind, message] of [
        ["asked", HOOKED],
        ["other", OTHER],
      ] as const) {
        const took = await turns(engine, message);
        if (round > 0) found[kind][whose].push(percentile(took, 0.5));
      }
    }
  await site.setPolicy({ private_hosts: [], tool_hook: null });
  await site.destroy("hooked");
  server.closeAllConnections();
  server.close();
  return [
    difference("a turn with a call about which a hook is asked, median", {
      ...found.asked,
      unit: "ms",
      aim: "≤ 5 ms more",
    }),
    difference("… with a call that the hook does not name", { ...found.other, unit: "ms", aim: "≤ 0.3 ms more" }),
  ];
}

async function turns({ url, engine_api_key: key }: Engine, message: string): Promise<readonly number[]> {
  const took: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const since = performance.now();
    const body = { task_id: crypto.randomUUID(), message };
    const answer = await call(`${url}/execute`, { method: "POST", headers: { "x-engine-key": key }, body });
    took.push(performance.now() - since);
    if (answer.status !== 200 || !answer.body.includes('"error":null'))
      throw new Error(`a turn failed: ${answer.body}`);
  }
  return took;
}
