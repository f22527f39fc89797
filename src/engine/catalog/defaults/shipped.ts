import { SHIPPED_AGENTS } from "./agents.ts";
import { SHIPPED_SKILLS } from "./skills.ts";
import { SHIPPED_TOOLS } from "./tools.ts";

/**
 * The catalog every engine begins with, by the names its files would have. It is text in the bundle and no files beside
 * it: an upgrade may replace those at any time under a running engine.
 */
export const SHIPPED = { agents: SHIPPED_AGENTS, skills: SHIPPED_SKILLS, tools: SHIPPED_TOOLS };
