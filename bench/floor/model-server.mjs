// A model behind the wire format of OpenAI's chat completions: of the message "N RATE", N words, RATE a second. Each
// word is the time at which it was written, on the clock that all programs of a machine share.
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

let streams = 0;

createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  if (request.method !== "POST") {
    response.end("{}");
    return;
  }
  // What an engine remembers stands behind the message; what it asks for itself is answered with nothing.
  const [, count = 0, rate = 1] = /^(\d+) (\d+)/.exec(lastMessage(JSON.parse(body))) ?? [];
  response.writeHead(200, { "content-type": "text/event-stream" });
  const frame = (delta, finish_reason = null) => {
    const choices = [{ index: 0, delta, finish_reason }];
    const data = { id: "bench", object: "chat.completion.chunk", created: 1, model: "bench", choices };
    response.write(`data: ${JSON.stringify(data)}\n\n`);
  };
  frame({ role: "assistant", content: "" });
  const startedAt = beginning(1000 / rate);
  for (let index = 0; index < count; index++) {
    const earlyMs = startedAt + (index * 1000) / rate - performance.now();
    if (earlyMs > 0) await sleep(earlyMs);
    frame({ content: `${process.hrtime.bigint()} ` });
  }
  frame({}, "stop");
  response.end("data: [DONE]\n\n");
}).listen(Number(process.env.PORT), "127.0.0.1");

/**
 * Whatever began the streams, and however fast: their words are spread over the time between two of them, as those of
 * people who know nothing of each other. The golden section spreads any number of them.
 */
function beginning(betweenMs) {
  const [now, phase] = [performance.now(), ((streams++ * 0.618034) % 1) * betweenMs];
  return Math.ceil((now - phase) / betweenMs) * betweenMs + phase;
}

function lastMessage({ messages }) {
  const content = messages.findLast(({ role }) => role === "user")?.content ?? "";
  return typeof content === "string" ? content : content.map(({ text }) => text).join("");
}
