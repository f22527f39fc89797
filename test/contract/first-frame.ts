import type { Answer } from "../helpers/api.ts";

const FRAME = /^(?:.+\n)*data: .*\n(?:.+\n)*\n/m;

/** The first frame of an event stream that does not end; the connection is closed behind it. */
export async function firstFrame(url: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
  const reading = new AbortController();
  const response = await fetch(url, {
    headers: { ...headers, accept: "text/event-stream" },
    signal: AbortSignal.any([reading.signal, AbortSignal.timeout(30_000)]),
  });
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += new TextDecoder().decode(chunk);
    if (FRAME.test(text)) break;
  }
  reading.abort();
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: undefined,
    text: FRAME.exec(text)?.[0] ?? text,
  };
}
