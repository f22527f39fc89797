/** Bytes that a program still refers to, after it has collected everything else: told by its inspector. */
export async function liveHeapMiB(inspectorPort: number): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${inspectorPort}/json/list`);
  const [target] = (await response.json()) as { webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? "");
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", () => reject(new Error("the inspector does not answer")));
  });
  let lastId = 0;
  const ask = (method: string) =>
    new Promise<{ usedSize: number }>((resolve) => {
      const id = ++lastId;
      socket.addEventListener("message", ({ data }) => {
        const answer = JSON.parse(String(data)) as { id?: number; result: { usedSize: number } };
        if (answer.id === id) resolve(answer.result);
      });
      socket.send(JSON.stringify({ id, method }));
    });
  await ask("HeapProfiler.collectGarbage");
  const { usedSize } = await ask("Runtime.getHeapUsage");
  socket.close();
  return usedSize / 1024 / 1024;
}
