import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { Readable, Writable } from "node:stream";
import {
  type ClientCapabilities,
  type ClientContext,
  type CreateElicitationResponse,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  client,
  methods,
  ndJsonStream,
} from "@agentclientprotocol/sdk";
import type { Test } from "tap";

const PROGRAM = join(resolve(import.meta.dirname, "../.."), "bin/orchctl.js");

export interface Editor {
  readonly agent: ClientContext;
  readonly updates: SessionUpdate[];
  /** The text of the updates of a kind. */
  text(kind: "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk"): string;
  stderr(): string;
  /** Closes standard input, and resolves with the exit code. */
  leave(): Promise<number | null>;
}

interface EditorOptions {
  readonly user: string;
  readonly env: Readonly<Record<string, string>>;
  readonly capabilities?: ClientCapabilities;
  readonly permit?: (request: RequestPermissionRequest) => RequestPermissionResponse["outcome"];
  readonly fill?: (message: string) => CreateElicitationResponse;
}

/** An editor as the protocol's own SDK makes it, connected to a spawned `orchctl acp`. */
export async function openEditor(
  t: Test,
  { user, env, capabilities = {}, permit = () => ({ outcome: "cancelled" }), fill }: EditorOptions,
): Promise<Editor> {
  const child = spawn(process.execPath, [PROGRAM, "acp", user], { env, stdio: "pipe" });
  t.teardown(() => child.kill("SIGKILL"));
  let stderr = "";
  child.stderr.on("data", (text) => (stderr += String(text)));
  const updates: SessionUpdate[] = [];
  const app = client({ name: "test" })
    .onRequest(methods.client.session.requestPermission, ({ params }) => ({ outcome: permit(params) }))
    .onRequest(methods.client.elicitation.create, ({ params }) => fill?.(params.message) ?? { action: "cancel" })
    .onNotification(methods.client.session.update, ({ params }) => {
      updates.push(params.update);
    });
  const bytes = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
  const { agent } = app.connect(ndJsonStream(Writable.toWeb(child.stdin) as WritableStream<Uint8Array>, bytes));
  await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: { ...capabilities, ...(fill && { elicitation: { form: {} } }) },
  });
  return {
    agent,
    updates,
    text: (kind) =>
      updates
        .flatMap((update) =>
          update.sessionUpdate === kind && update.content.type === "text" ? [update.content.text] : [],
        )
        .join(""),
    stderr: () => stderr,
    async leave() {
      const exited = once(child, "exit");
      child.stdin.end();
      await exited;
      return child.exitCode;
    },
  };
}
