/** What is wrong with the path of a new file. The loader checks the rest. */
export function pathProblem(path: string): string | null {
  const parts = path.split("/");
  return parts.some((part) => part === "" || part === "." || part === "..")
    ? "expected a path below the catalog's folder, such as agents/tutor.md"
    : null;
}

/** With what a new file of the catalog begins, so that its form need not be looked up. */
export function beginningOf(path: string): string {
  const [, folder = "", name = ""] = /^(agents|skills|tools)\/([^/.]+)/.exec(path) ?? [];
  if (folder === "agents") return `---\nname: ${name}\ndescription: \n---\n`;
  if (folder === "skills" && path.endsWith("/SKILL.md")) return `---\nname: ${name}\ndescription: \n---\n`;
  if (folder === "tools" && path.endsWith(".json"))
    return `{\n  "description": "",\n  "command": { "argv": [""] },\n  "permission": "ask"\n}\n`;
  if (path === ".mcp.json") return `{\n  "mcpServers": {}\n}\n`;
  if (path === "settings.yaml") return "tool_rules: []\n";
  return "\n";
}
