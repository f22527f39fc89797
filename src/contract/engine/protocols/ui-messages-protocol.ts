import { type Protocol, route } from "./protocol-row.ts";

export const UI_MESSAGES = {
  title: "AI SDK UI message stream",
  version: "1",
  errorBody: ({ code, message, details }) => ({ error: code, message, ...(details && { details }) }),
  routes: {
    uiChat: route("POST /v1/ui/chat", "Send a message, and stream the answer", "turns"),
    uiChatStream: route("GET /v1/ui/chat/{task_id}/stream", "Stream the turn in flight. 204 without one", "turns"),
    uiChatStop: route("POST /v1/ui/chat/{task_id}/stop", "End the turn in flight", "turns"),
    uiChatMessages: route("GET /v1/ui/chat/{task_id}/messages", "Get the messages of a chat", "tasks:read"),
  },
} as const satisfies Protocol;
