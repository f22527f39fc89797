import {
  type AgentContext,
  type CreateElicitationRequest,
  type PermissionOption,
  type PermissionOptionKind,
  methods,
} from "@agentclientprotocol/sdk";
import type { HumanRequest } from "../../src/client/human-responder.ts";

const OPTIONS: Readonly<Record<string, { readonly name: string; readonly kind: PermissionOptionKind }>> = {
  allow_once: { name: "Allow", kind: "allow_once" },
  allow_task: { name: "Allow in this conversation", kind: "allow_always" },
  allow_always: { name: "Always allow", kind: "allow_always" },
  deny: { name: "Deny", kind: "reject_once" },
};

interface Asking {
  readonly client: AgentContext;
  readonly sessionId: string;
  readonly hasForms: boolean;
  /** Aborted when the request is open no longer. */
  readonly signal: AbortSignal;
}

/** Whether the editor can show the question. Another one is a message, which the user's next message answers. */
export const canShow = ({ kind, options, context }: HumanRequest, hasForms: boolean): boolean =>
  kind === "permission" || hasForms || (options.length > 0 && context["allow_free_text"] !== true);

/** The user's answer, or null when there is none. */
export async function askEditor(request: HumanRequest, asking: Asking): Promise<string | null> {
  const isForm = request.kind === "question" && asking.hasForms;
  return isForm ? fillForm(request, asking) : choose(request, asking);
}

async function choose(
  { question, options, context }: HumanRequest,
  { client, sessionId, signal }: Asking,
): Promise<string | null> {
  const { tool_call_id: id, allow_free_text: _, ...about } = context;
  const choices = options.map((option): PermissionOption => {
    const known = OPTIONS[option] ?? { name: option, kind: "allow_once" };
    return { optionId: option, ...known };
  });
  const { outcome } = await client.request(
    methods.client.session.requestPermission,
    {
      sessionId,
      toolCall: { toolCallId: String(id), title: question, rawInput: about },
      options: choices,
    },
    { cancellationSignal: signal, stopWaitingOnCancel: true },
  );
  return outcome.outcome === "selected" ? outcome.optionId : null;
}

async function fillForm(
  { question, options, context }: HumanRequest,
  { client, sessionId, signal }: Asking,
): Promise<string | null> {
  const isFree = context["allow_free_text"] === true || options.length === 0;
  const form: CreateElicitationRequest = {
    mode: "form",
    sessionId,
    message: isFree && options.length > 0 ? `${question}\n(${options.join(", ")}, or other text)` : question,
    requestedSchema: {
      type: "object",
      properties: { answer: { type: "string", title: "Answer", ...(!isFree && { enum: [...options] }) } },
      required: ["answer"],
    },
  };
  const result = await client.request(methods.client.elicitation.create, form, {
    cancellationSignal: signal,
    stopWaitingOnCancel: true,
  });
  const { answer } = Object("content" in result ? result.content : null) as { readonly answer?: unknown };
  return result.action === "accept" && typeof answer === "string" && answer !== "" ? answer : null;
}
