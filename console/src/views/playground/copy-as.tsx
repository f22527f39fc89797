import { useState } from "preact/hooks";
import { Copy } from "../../parts/copy.tsx";
import { Dialog } from "../../parts/dialog.tsx";

export interface ShownCall {
  readonly url: string;
  readonly taskId: string;
  readonly message: string;
  readonly thinking: boolean;
}

/** The same call from a shell or a program. The key is not in it: the page has none. */
export const CopyAs = ({ call }: { readonly call: ShownCall }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="quiet" onClick={() => setOpen(true)}>
        Copy as code
      </button>
      {isOpen && (
        <Dialog title="The same call in a program" onClose={() => setOpen(false)}>
          <p class="dim">
            <code>ENGINE_KEY</code> or <code>engineKey</code> is the engine's key, which <code>provision</code> or{" "}
            <code>rotate-key</code> returned.
          </p>
          {Object.entries(FORMS).map(([name, form]) => (
            <section key={name} aria-label={name}>
              <header class="section-head">
                <h3>{name}</h3>
                <Copy text={form(call)} />
              </header>
              <pre class="log" tabIndex={0}>
                {form(call)}
              </pre>
            </section>
          ))}
        </Dialog>
      )}
    </>
  );
};

const bodyOf = ({ taskId, message, thinking }: ShownCall) => JSON.stringify({ task_id: taskId, message, thinking });

const FORMS: Readonly<Record<string, (call: ShownCall) => string>> = {
  curl: (call) => `curl -N '${call.url}/execute' \\
  -H "X-Engine-Key: $ENGINE_KEY" -H 'Content-Type: application/json' \\
  -d '${bodyOf(call).replaceAll("'", "'\\''")}'`,
  TypeScript: ({ url, taskId, message, thinking }) => `import { createEngineClient } from "@orchd/client";

const engine = createEngineClient({ url: ${JSON.stringify(url)}, key: engineKey });
const turn = engine.execute({
  taskId: ${JSON.stringify(taskId)},
  message: ${JSON.stringify(message)},
  thinking: ${thinking},
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
