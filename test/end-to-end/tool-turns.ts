import { openStream } from "../helpers/engine.ts";
import type { SecretPlace } from "./secret-cases.ts";

/** Turns and calls of tools of an engine, through the daemon. */
export function toolTurns({
  base,
  user,
  engine,
  platform,
}: Pick<SecretPlace, "base" | "user" | "engine" | "platform">) {
  const url = `${base}/e/${engine.id}`;
  const headers = { "x-engine-key": engine.key };
  const run = crypto.randomUUID().slice(0, 8);
  let turns = 0;
  const turn = async (message: string) => {
    const body = { task_id: `${run}-${++turns}`, message };
    const stream = await openStream(url, "/execute", { headers, body });
    return { status: stream.status, frames: stream.status === 200 ? await stream.all(120_000) : [] };
  };
  return {
    url,
    headers,
    turn,
    callTool: async (name: string, input: object = {}): Promise<string> => {
      const { frames } = await turn(`/tool ${name} ${JSON.stringify(input)}\n/say done`);
      const { data } = frames.find(({ event }) => event === "tool_result") ?? {};
      const output = data?.["output"] ?? data?.["error"] ?? frames;
      return typeof output === "string" ? output : JSON.stringify(output);
    },
    restart: async (): Promise<void> => {
      for (const verb of ["stop", "start"]) {
        const { status, text } = await platform("POST", `/engines/${user}/${verb}`, {});
        if (status !== 200) throw new Error(text);
      }
    },
  };
}
