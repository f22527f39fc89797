import {
  Client,
  type ElicitRequest,
  type ElicitResult,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import type { Test } from "tap";

export type McpEra = "2025-11-25" | "2026-07-28";
export const MCP_ERAS: readonly McpEra[] = ["2025-11-25", "2026-07-28"];

interface McpOptions {
  readonly era: McpEra;
  readonly headers: Readonly<Record<string, string>>;
  /** Fills in forms. Without it the client cannot ask its user. */
  readonly elicit?: (params: ElicitRequest["params"]) => ElicitResult | Promise<ElicitResult>;
}

/** The client of the protocol's maintainers, connected. */
export async function connectMcp(t: Test, url: string, { era, headers, elicit }: McpOptions): Promise<Client> {
  const client = new Client(
    { name: "test", version: "1.0.0" },
    {
      capabilities: elicit === undefined ? {} : { elicitation: { form: {} } },
      versionNegotiation: { mode: era === "2025-11-25" ? "legacy" : { pin: era } },
    },
  );
  if (elicit !== undefined) client.setRequestHandler("elicitation/create", async ({ params }) => elicit(params));
  const reconnectionOptions = {
    initialReconnectionDelay: 50,
    maxReconnectionDelay: 200,
    reconnectionDelayGrowFactor: 1,
    maxRetries: 100,
  };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers }, reconnectionOptions }),
  );
  t.teardown(() => client.close());
  return client;
}
