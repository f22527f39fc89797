/**
 * The tools of every engine, and what each does, as Markdown with links as from docs/. Neither a catalog nor a tool server
 * may use their names, and metrics count each by its name.
 */
export const ENGINE_TOOLS = {
  ask_human: "Ask the user a question, with options or free text",
  delegate: "Give work to another agent of the catalog",
  edit_file: "Replace a passage that occurs exactly once, or with `replace_all` every occurrence",
  fetch_url: "Fetch a page of the web as text (GET, HEAD)",
  list_files: "List a folder, up to ten levels deep",
  memory_note: "Write a note into working memory",
  memory_search: "[Search the memory](memory.md#search), or read one round by its id",
  plan: "Keep a list of steps. It survives compaction and restarts, and each change is a `working_memory_update`.",
  publish_file: "[Publish](files.md#artifacts) the content of a file as a result with a title and a version",
  read_file: "Read a text file, or some of its lines",
  run_command: "Run a shell command in the workspace: exit code, stdout, stderr; `timeout_s` up to 600 (120)",
  search_files: "Search files line by line for a regular expression, with glob, context lines and a limit",
  search_knowledge: "[Search the product's documents](knowledge.md). Offered only when the product has any",
  submit_result:
    "Submit the result of a turn with an [output schema](conversations.md#structured-output), which ends it",
  tool_search:
    "[Find tools](conversations.md#tool-search) that are not loaded, and load them. Offered only when there are any",
  use_skill: "Read a skill of the catalog, or a file beside it",
  write_file: "Write a whole file and create its folders",
} as const;

/** Its results are artifacts. */
export const PUBLISH_FILE = "publish_file" satisfies keyof typeof ENGINE_TOOLS;

/** Its results come with the event `knowledge_found`. */
export const SEARCH_KNOWLEDGE = "search_knowledge" satisfies keyof typeof ENGINE_TOOLS;

/** Its successful call ends a turn. */
export const SUBMIT_RESULT = "submit_result" satisfies keyof typeof ENGINE_TOOLS;

/** The call shows as the question that it asks. */
export const ASK_HUMAN = "ask_human" satisfies keyof typeof ENGINE_TOOLS;

export const isEngineTool = (name: string): boolean => Object.hasOwn(ENGINE_TOOLS, name);
