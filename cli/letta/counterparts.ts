/** Tools of Letta itself, and what does their work in orchd. */
export const COUNTERPARTS: ReadonlyMap<string, string> = new Map([
  ["send_message", "the answer itself"],
  ["conversation_search", "memory_search"],
  ["archival_memory_search", "memory_search"],
  ["archival_memory_insert", "memory_note"],
  ["core_memory_append", "memory_note"],
  ["core_memory_replace", "memory_note"],
  ["memory", "memory_note"],
  ["memory_insert", "memory_note"],
  ["memory_replace", "memory_note"],
  ["memory_rethink", "memory_note"],
  ["memory_apply_patch", "memory_note"],
  ["fetch_webpage", "fetch_url"],
  ["run_code", "run_command"],
  ["open_files", "read_file"],
  ["grep_files", "search_files"],
  ["semantic_search_files", "search_files"],
]);
