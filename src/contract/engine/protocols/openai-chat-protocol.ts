import { openaiError } from "./openai-errors.ts";
import { type Protocol, route } from "./protocol-row.ts";

export const OPENAI_CHAT = {
  title: "OpenAI chat completions",
  version: "1",
  errorBody: openaiError,
  routes: {
    chatCompletions: route("POST /v1/chat/completions", "Send a conversation, and stream or get the answer", "turns"),
    listModels: route("GET /v1/models", "List the agents of the catalog", "turns"),
    showModel: route("GET /v1/models/{model}", "Get an agent of the catalog", "turns"),
  },
} as const satisfies Protocol;
