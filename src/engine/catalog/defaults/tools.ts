/** The time is a tool because the system prompt must stay identical from turn to turn. */
export const SHIPPED_TOOLS: Readonly<Record<string, string>> = {
  current_time: `{
  "description": "The present date and time in UTC, as ISO 8601.",
  "command": { "argv": ["date", "-u", "+%Y-%m-%dT%H:%M:%SZ"] },
  "permission": "allow",
  "read_only": true,
  "timeout_s": 10
}
`,
};
