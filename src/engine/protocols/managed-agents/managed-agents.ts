import type { ProtocolHandler, ProtocolModule } from "../protocol.ts";
import { listAgentVersions, listAgents, showAgent } from "./catalog-agents.ts";
import { changeEnvironment, createEnvironment, listEnvironments, showEnvironment } from "./session-environment.ts";
import { listEvents } from "./list-events.ts";
import { deleteFile, listFiles, readFile, showFile, uploadFile } from "./managed-files.ts";
import { sendEvents } from "./send-events.ts";
import {
  archiveSession,
  createSession,
  deleteSession,
  listResources,
  listSessions,
  showSession,
  updateSession,
} from "./session-routes.ts";
import { streamEvents } from "./stream-events.ts";

const notSupported =
  (what: string): ProtocolHandler =>
  async ({ calls }) => {
    throw calls.error("INVALID_REQUEST", `${what} is not supported by this engine`);
  };

/** The interface of Claude Managed Agents, as `@anthropic-ai/sdk` calls it. */
export const handlers: ProtocolModule["handlers"] = {
  managedListAgents: listAgents,
  managedCreateAgent: notSupported("creating agents: the catalog has them; it"),
  managedShowAgent: showAgent,
  managedUpdateAgent: notSupported("changing agents: the catalog has them; it"),
  managedArchiveAgent: notSupported("archiving agents: the catalog has them; it"),
  managedListAgentVersions: listAgentVersions,
  managedListEnvironments: listEnvironments,
  managedCreateEnvironment: createEnvironment,
  managedShowEnvironment: showEnvironment,
  managedUpdateEnvironment: changeEnvironment,
  managedDeleteEnvironment: changeEnvironment,
  managedArchiveEnvironment: changeEnvironment,
  managedListSessions: listSessions,
  managedCreateSession: createSession,
  managedShowSession: showSession,
  managedUpdateSession: updateSession,
  managedDeleteSession: deleteSession,
  managedArchiveSession: archiveSession,
  managedListEvents: listEvents,
  managedSendEvents: sendEvents,
  managedStreamEvents: streamEvents,
  managedListResources: listResources,
  managedListThreads: notSupported("a thread of a session"),
  managedListFiles: listFiles,
  managedUploadFile: uploadFile,
  managedShowFile: showFile,
  managedReadFile: readFile,
  managedDeleteFile: deleteFile,
  managedListVaults: notSupported("a vault"),
  managedCreateVault: notSupported("a vault"),
  managedListMemoryStores: notSupported("a memory store"),
  managedCreateMemoryStore: notSupported("a memory store"),
  managedListDeployments: notSupported("a deployment"),
  managedCreateDeployment: notSupported("a deployment"),
};
