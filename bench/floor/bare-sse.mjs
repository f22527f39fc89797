// The floor of a stream: frames of the same size as a turn's, written as fast as a socket takes them.
import { once } from "node:events";
import { createServer } from "node:http";

createServer(async (request, response) => {
  const count = Number(new URL(request.url ?? "/", "http://localhost").searchParams.get("events") ?? 1);
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (let seq = 0; seq < count; seq++) {
    const data = {
      text: `word${seq} `,
      ts: new Date().toISOString(),
      seq,
      task_id: "bench-task",
      turn_id: "turn_0190a0b0-0000-7000-8000-000000000000",
    };
    if (!response.write(`event: text_delta\ndata: ${JSON.stringify(data)}\n\n`)) await once(response, "drain");
    // A model's stream gives way to other work between its parts; so does this one.
    if (seq % 64 === 63) await new Promise(setImmediate);
  }
  response.end();
}).listen(Number(process.env.PORT), "127.0.0.1");
