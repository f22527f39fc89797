/** Tools of every engine. Neither a catalog nor a tool server may use their names. */
export const RESERVED_TOOL_NAMES: readonly string[] = [
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
  "write_file",
];
