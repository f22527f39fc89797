import t from "tap";
import type { Chat } from "@ai-sdk/react";
import type { UIMessage } from "ai";
import { LONG } from "../../faults/parts/long.ts";
import { Random } from "../../faults/parts/random.ts";
import { startEngine } from "../../helpers/engine.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { until } from "../../helpers/until.ts";
import { type RandomTurn, prepareWorkspace, randomTurn, replyTo } from "./parts/random-turns.ts";
import { type AnyPart, lastParts, openChat, textsOf } from "./parts/ui-chat.ts";

const TURNS = LONG ? 10_000 : 25;
/** Of the pages, how many lose their connection. */
const RELOADED = 0.1;

t.setTimeout(LONG ? 7_200_000 : 60_000);

const dataDir = freshFolder(t, "engine");
prepareWorkspace(dataDir);
const engine = await startEngine(t, { dataDir });
const headers = { authorization: `Bearer ${engine.key}` };

/** Answers what a turn asks, as a page does, by the SDK's own functions. Returns whether it has cancelled. */
async function react(chat: Chat<UIMessage>, turn: RandomTurn): Promise<boolean> {
  const open = lastParts(chat).filter(
    ({ type, state, providerExecuted }) =>
      type === "dynamic-tool" && (state === "approval-requested" || (state === "input-available" && !providerExecuted)),
  );
  const replies = open.map((part) => [part, replyTo(turn, askedBy(part))] as const);
  if (replies.some(([, reply]) => reply === null)) {
    await engine.call(`/v1/ui/chat/${chat.id}/stop`, { method: "POST" });
    await chat.resumeStream();
    return true;
  }
  for (const [{ toolName: tool, toolCallId, approval }, reply] of replies) {
    if (reply?.kind === "permission")
      await chat.addToolApprovalResponse({ id: approval.id, approved: reply.isAllowed });
    if (reply?.kind === "question") await chat.addToolOutput({ tool, toolCallId, output: reply.answer });
    if (reply?.kind === "client_tool" && "output" in reply.result)
      await chat.addToolOutput({ tool, toolCallId, output: reply.result.output });
    if (reply?.kind === "client_tool" && "error" in reply.result)
      await chat.addToolOutput({ tool, toolCallId, state: "output-error", errorText: reply.result.error });
  }
  return false;
}

function askedBy({ toolName, input, approval }: AnyPart): string {
  if (approval !== undefined) return approval.requestReason;
  return toolName === "ask_human" ? input.question : JSON.stringify(input);
}

const isOver = (chat: Chat<UIMessage>) =>
  ["completed", "errored"].includes(String((chat.messages.at(-1)?.metadata as AnyPart)?.status));

async function drive(turn: RandomTurn, id: string, random: Random): Promise<Chat<UIMessage>> {
  const body = { thinking: true, ...(turn.clientTools.length > 0 && { client_tools: turn.clientTools }) };
  const open = (messages: UIMessage[]) => openChat({ url: engine.url, headers, id, body, init: { messages } });
  let chat = open([]);
  const sending = chat.sendMessage({ text: turn.message });
  if (turn.cancelled === "while_silent") {
    const isSaid = () => textsOf(chat).length === turn.texts.length && lastParts(chat).at(-1)?.state === "done";
    while (!isSaid()) {
      await until("the chat asks or is silent", () => isSaid() || chat.status === "ready" || chat.status === "error");
      if (chat.status === "error") break;
      if (chat.status === "ready") await react(chat, turn);
    }
    if (chat.error === undefined) await engine.call(`/v1/ui/chat/${id}/stop`, { method: "POST" });
  }
  await sending;
  for (;;) {
    await until("the chat is ready", () => chat.status === "ready" || chat.status === "error");
    if (chat.error !== undefined || isOver(chat)) return chat;
    if (random.chance(RELOADED)) {
      chat = open((await engine.call(`/v1/ui/chat/${id}/messages`)).body.messages);
      await chat.resumeStream();
    }
    if (await react(chat, turn)) return chat;
  }
}

t.test(
  "the SDK accepts every chunk of random turns, and shows what happened",
  { timeout: LONG ? 7_200_000 : 60_000 },
  async (t) => {
    const random = new Random();
    t.comment(`seed ${random.seed}`);
    for (let index = 0; index < TURNS; index++) {
      const turn = randomTurn(random);
      const id = `t${index}`;
      const chat = await drive(turn, id, random);
      const { body } = await engine.call(`/v1/ui/chat/${id}/messages`);
      const isCancelled = turn.error === "CANCELLED";
      const got = {
        texts: textsOf(chat),
        thoughts: lastParts(chat).flatMap(({ type, text }) => (type === "reasoning" ? [text] : [])),
        error: chat.error?.message ?? null,
        stored: body.messages.at(-1).metadata.error?.code ?? null,
        calls: isCancelled ? [] : callsOf(chat),
      };
      const expected = {
        texts: turn.texts,
        thoughts: turn.thoughts,
        error: turn.error === null || isCancelled ? null : "the sandbox model was told to fail",
        stored: turn.error,
        calls: isCancelled ? [] : turn.calls.map(({ tool, succeeds }) => `${tool} ${succeeds}`).sort(),
      };
      if (JSON.stringify(got) !== JSON.stringify(expected)) {
        t.same(got, expected, `turn ${index} of seed ${random.seed}:\n${turn.message}`);
        return;
      }
    }
    t.pass(`${TURNS} turns`);
  },
);

const callsOf = (chat: Chat<UIMessage>) =>
  lastParts(chat)
    .flatMap(({ type, toolName, state, toolMetadata }) =>
      type === "dynamic-tool" && toolMetadata === undefined ? [`${toolName} ${state === "output-available"}`] : [],
    )
    .sort();
