import type { TurnOptions } from "./choice.ts";

export interface ShownCall extends TurnOptions {
  readonly url: string;
  readonly taskId: string;
  readonly message: string;
}

const bodyOf = ({ url: _, taskId, message, ...options }: ShownCall) =>
  JSON.stringify({ task_id: taskId, message, ...options });

/** The call that sends a message, from a shell or a program. The key is not in it: the page has none. */
export const REQUEST_FORMS: Readonly<Record<string, (call: ShownCall) => string>> = {
  curl: (call) => `curl -N '${call.url}/execute' \\
  -H "X-Engine-Key: $ENGINE_KEY" -H 'Content-Type: application/json' \\
  -d '${bodyOf(call).replaceAll("'", "'\\''")}'`,
  TypeScript: ({ url, ...options }) => `import { createEngineClient } from "@orchd/client";

const engine = createEngineClient({ url: ${JSON.stringify(url)}, key: engineKey });
const turn = engine.execute({
${Object.entries(options)
  .map(([name, value]) => `  ${name}: ${JSON.stringify(value)},`)
  .join("\n")}
});
for await (const event of turn) if (event.event === "text_delta") process.stdout.write(event.data.text);`,
  Python: (call) => `import json, os, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(`${call.url}/execute`)},
    data=${JSON.stringify(bodyOf(call))}.encode(),
    headers={"X-Engine-Key": os.environ["ENGINE_KEY"], "Content-Type": "application/json"},
)
event = None
with urllib.request.urlopen(request) as stream:
    for line in stream:
        name, _, value = line.decode().rstrip("\\n").partition(": ")
        if name == "event":
            event = value
        elif name == "data" and event == "text_delta":
            print(json.loads(value)["text"], end="", flush=True)`,
};
