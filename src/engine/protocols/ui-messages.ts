import * as z from "zod/mini";
import { type ProtocolHandler, type ProtocolModule } from "./protocol.ts";
import { eventOf } from "./engine-calls.ts";
import { SseWriter, dataFrame } from "./sse-writer.ts";

const chatRequest = z.object({
  id: z.string().check(z.minLength(1), z.maxLength(256)),
  messages: z.array(z.object({ role: z.string(), parts: z.array(z.looseObject({ type: z.string() })) })),
});

const chat: ProtocolHandler = async ({ request, response, calls }) => {
  const { id, messages } = calls.validate(chatRequest, request.body);
  const text = (messages.at(-1)?.parts ?? []).map(({ text }) => (typeof text === "string" ? text : "")).join("");
  const { events, turnId } = await calls.send({ task_id: id, message: text });
  const stream = SseWriter.open(response, calls.limits, { "x-vercel-ai-ui-message-stream": "v1" });
  await stream.write(dataFrame({ type: "start", messageId: turnId }));
  for await (const rows of events) {
    let frames = "";
    for (const row of rows) {
      const { event, data } = eventOf(row);
      if (event === "content_block_start" && data.block_type === "text")
        frames += dataFrame({ type: "text-start", id: String(data.block_index) });
      if (event === "text_delta") frames += dataFrame({ type: "text-delta", id: "0", delta: data.text });
      if (event === "content_block_stop" && data.block_type === "text")
        frames += dataFrame({ type: "text-end", id: String(data.block_index) });
    }
    await stream.write(frames);
  }
  await stream.write(`${dataFrame({ type: "finish" })}data: [DONE]\n\n`);
  stream.end();
};

export const handlers: ProtocolModule["handlers"] = { uiChat: chat };
