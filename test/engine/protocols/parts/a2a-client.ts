import type { SendMessageRequest, Task } from "@a2a-js/sdk";
import { Role } from "@a2a-js/sdk";
import { type Client, ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from "@a2a-js/sdk/client";
import type { TestEngine } from "../../../helpers/engine.ts";

/** The protocol's own client, as it finds the engine by its card. */
export function clientOf({ url, key }: Pick<TestEngine, "url" | "key">): Promise<Client> {
  const fetchImpl: typeof fetch = (input, init = {}) =>
    fetch(input, { ...init, headers: { ...(init.headers as object), authorization: `Bearer ${key}` } });
  return new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
    preferredTransports: ["JSONRPC"],
  }).createFromUrl(`${url}/`);
}

type Sent = NonNullable<SendMessageRequest["message"]>;

export const text = (value: string): Sent["parts"][number] => part({ $case: "text", value });
export const data = (value: unknown): Sent["parts"][number] => part({ $case: "data", value });
export const part = (
  content: Sent["parts"][number]["content"],
  { filename = "", mediaType = "" } = {},
): Sent["parts"][number] => ({ content, metadata: undefined, filename, mediaType });

export const message = (
  what: string | Sent["parts"],
  more: Partial<Sent> = {},
  configuration?: SendMessageRequest["configuration"],
): SendMessageRequest => ({
  tenant: "",
  metadata: undefined,
  configuration,
  message: {
    messageId: crypto.randomUUID(),
    contextId: "",
    taskId: "",
    role: Role.ROLE_USER,
    parts: typeof what === "string" ? [text(what)] : what,
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...more,
  },
});

/** The text of a task's answer. */
export const answerOf = ({ artifacts }: Task): string =>
  artifacts
    .filter(({ artifactId }) => artifactId === "answer")
    .flatMap(({ parts }) => parts.map(({ content }) => (content?.$case === "text" ? content.value : "")))
    .join("");
