// What the peer serves: a conversation whose one step asks a model. One model is scripted, in the same process, and of the
// message "N" says N words at once; the other is behind the wire format of OpenAI, at MODEL_URL.
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";

class ScriptedModel extends BaseChatModel {
  _llmType() {
    return "scripted";
  }

  async *_streamResponseChunks(messages, _options, runManager) {
    const count = Number(messages.at(-1).content);
    for (let index = 0; index < count; index++) {
      const text = `word${index} `;
      yield new ChatGenerationChunk({ text, message: new AIMessageChunk(text) });
      await runManager?.handleLLMNewToken(text);
      // A model's stream gives way to other work between its parts; so does this one.
      if (index % 64 === 63) await new Promise(setImmediate);
    }
  }

  /** Only for callers that do not stream. */
  async _generate(messages) {
    const text = String(messages.at(-1).content);
    return { generations: [{ text, message: new AIMessage(text) }] };
  }
}

const conversationWith = (model) =>
  new StateGraph(MessagesAnnotation)
    .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addEdge("__start__", "model")
    .compile();

export const scripted = conversationWith(new ScriptedModel({}));

const configuration = { baseURL: process.env.MODEL_URL };
export const remote = conversationWith(
  new ChatOpenAI({ model: "bench", apiKey: "none", streaming: true, configuration }),
);
