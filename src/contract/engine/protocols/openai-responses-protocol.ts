import { openaiError } from "./openai-errors.ts";
import { type Protocol, route } from "./protocol-row.ts";

export const OPENAI_RESPONSES = {
  title: "OpenAI Responses",
  version: "1",
  errorBody: openaiError,
  routes: {
    createResponse: route(
      "POST /v1/responses",
      "Send a message or results of calls, and stream, get or start the answer",
      "turns",
    ),
    showResponse: route(
      "GET /v1/responses/{response_id}",
      "Get a response, or stream it after a `sequence_number`",
      "turns",
    ),
    deleteResponse: route("DELETE /v1/responses/{response_id}", "Delete the task of its only response", "turns"),
    cancelResponse: route("POST /v1/responses/{response_id}/cancel", "Cancel the turn of a response", "turns"),
    listResponseInput: route(
      "GET /v1/responses/{response_id}/input_items",
      "Get the message that a response answers",
      "turns",
    ),
  },
} as const satisfies Protocol;
