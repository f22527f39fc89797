import type { ToolRegistry } from "../tools/registry.ts";

/** What a run of the loop is made of: its words, its model, and the tools it may call. */
export interface AgentProfile {
  /** The same bytes from call to call until something is reloaded, so that the provider's cache hits. */
  readonly system: string;
  readonly model: string;
  readonly registry: ToolRegistry;
}

/**
 * The profile of a named agent as it is now, taken anew at each model call: what is reloaded counts from the next one
 * on. An agent that a reload has removed under a running turn gives what stands in its place.
 */
export type AgentProfiles = (agent: string) => AgentProfile;
