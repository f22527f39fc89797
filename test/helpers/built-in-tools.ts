import { type BuiltInParts, builtInTools } from "../../src/engine/tools/built-in-tools.ts";
import type { ToolNamed } from "../../src/engine/tools/tool.ts";
import { commandHost } from "./command-host.ts";

export const BUILT_IN_TOOLS = builtInTools({ commands: commandHost(), memory: {} } as BuiltInParts);
export const builtInNamed: ToolNamed = (name) => BUILT_IN_TOOLS.find((tool) => tool.name === name);
