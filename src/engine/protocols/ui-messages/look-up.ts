import { LINK_TTL_S } from "../../../contract/engine/file-limits.ts";
import type { TaskMessage } from "../../../contract/engine/task-message.ts";
import type { EngineCalls } from "../engine-calls.ts";
import { type Chunk, type FileOfTurn, type Later, type Piece } from "./chunks.ts";

/** Completes the pieces of a batch, in their order. */
export async function lookUp(calls: EngineCalls, taskId: string, pieces: readonly Piece[]): Promise<readonly Chunk[]> {
  const chunks: Chunk[] = [];
  for (const piece of pieces) {
    if (isLater(piece)) chunks.push(...(await lookUpOne(calls, taskId, piece)));
    else chunks.push(piece);
  }
  return chunks;
}

const isLater = (piece: Piece): piece is Later => "look" in piece;

async function lookUpOne(calls: EngineCalls, taskId: string, later: Later): Promise<readonly Chunk[]> {
  if (later.look === "file") return [await filePart(calls, later.file)];
  const message = await steeredMessage(calls, taskId, later);
  return [{ type: "steering-message", id: later.messageId, parts: await userParts(calls, message?.parts ?? []) }];
}

/** A file as a part with a link that needs no key. A caller who may not read files gets its description alone. */
export async function filePart(calls: EngineCalls, { path, media_type, name }: FileOfTurn): Promise<Chunk> {
  const described = { path, media_type, ...(name !== undefined && { name }) };
  try {
    const { link } = await calls.call<{ readonly link: string }>("linkFile", { body: { path, ttl_s: LINK_TTL_S.max } });
    return {
      type: "file",
      mediaType: media_type,
      url: link,
      ...(name !== undefined && { filename: name }),
      providerMetadata: { orchd: described },
    };
  } catch {
    // The file is gone, or the caller's token has no scope for files.
    return { type: "data-file", data: described };
  }
}

/** The parts of a message of the user. */
export async function userParts(calls: EngineCalls, parts: TaskMessage["parts"]): Promise<readonly Chunk[]> {
  const shown: Chunk[] = [];
  for (const part of parts) {
    if (part.type === "text") shown.push({ type: "text", text: part.text });
    if (part.type === "attachment") shown.push(await filePart(calls, part));
    if (part.type === "context")
      shown.push({ type: "data-context", data: { name: part.name, content: part.content, ttl: part.ttl } });
  }
  return shown;
}

/** A message that entered a running turn: the turn's user messages after its first are those, in their order. */
async function steeredMessage(
  calls: EngineCalls,
  taskId: string,
  { turnId, number }: Extract<Later, { look: "steering" }>,
): Promise<TaskMessage | undefined> {
  const { items } = await calls.call<{ readonly items: readonly TaskMessage[] }>("listMessages", {
    path: { task_id: taskId },
    query: { limit: "200" },
  });
  return items.filter(({ role, turn_id }) => role === "user" && turn_id === turnId)[number];
}
