/**
 * The names of the tools of every engine. Neither a catalog nor a tool server may use them, and metrics count each by
 * its name.
 */
export const ENGINE_TOOLS = [
  "ask_human",
  "delegate",
  "edit_file",
  "fetch_url",
  "list_files",
  "memory_note",
  "memory_search",
  "plan",
  "read_file",
  "run_command",
  "search_files",
  "use_skill",
  "write_file",
] as const;

export const isEngineTool = (name: string): boolean => ENGINE_TOOLS.some((tool) => tool === name);
