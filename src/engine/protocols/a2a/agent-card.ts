import type { EngineCalls } from "../engine-calls.ts";

const TEXT = ["text/plain", "application/json"];

/**
 * The agent card. Its skills are the agents of the catalog: it says of them what the product has written for models to
 * read. It takes the key, as everything else of an engine does, so the extended card is the same.
 */
export function agentCard(calls: EngineCalls): object {
  const agents = calls.agents();
  const main = agents.find(({ name }) => name === "default") ?? agents[0];
  return {
    name: main?.name ?? "default",
    description: main?.description ?? "",
    version: "1.0",
    supportedInterfaces: [{ url: `${calls.baseUrl}/a2a`, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: true },
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    defaultInputModes: [...TEXT, "image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"],
    defaultOutputModes: TEXT,
    skills: agents.map(({ name, description }) => ({ id: name, name, description, tags: ["agent"] })),
  };
}
