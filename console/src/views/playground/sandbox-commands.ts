interface SandboxCommand {
  readonly name: string;
  readonly line: string;
  readonly effect: string;
}

/** What the sandbox model does on command; `docs/engine-api.md` lists all of it. */
export const SANDBOX_COMMANDS: readonly SandboxCommand[] = [
  { name: "/say", line: "/say Hello.\n", effect: "A text block" },
  { name: "/think", line: "/think about it\n", effect: "A thinking block" },
  { name: "/stream", line: "/stream 200 50\n", effect: "200 words, 50 a second" },
  { name: "/slow", line: "/slow 2000\n", effect: "A pause" },
  { name: "/tool", line: "/tool list_files {}\n", effect: "A tool call" },
  { name: "permission", line: '/tool write_file {"path":"a.txt","content":"x"}\n', effect: "A permission prompt" },
  { name: "/ask", line: "/ask Which one? | left | right\n", effect: "A question" },
  { name: "/fail", line: "/fail provider\n", effect: "An error of the provider" },
  { name: "rate limit", line: "/fail rate-limited 5\n", effect: "A rate limit of the provider" },
  { name: "/fail silent", line: "/fail silent\n", effect: "Nothing more comes until the turn is cancelled" },
  { name: "/usage", line: "/usage 1000 50 800\n", effect: "These token counts" },
  { name: "/attachments", line: "/attachments\n", effect: "A line for each file" },
];
