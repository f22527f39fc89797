/**
 * One conversation with the product's backend, without a page: it sends messages, reads the stream of a turn, and
 * continues the stream when the connection is lost. `onEvent` gets each event once, in order.
 */

const RECONNECT_MS = [200, 1000, 2000, 4000, 8000];

export function createChat({ user, onEvent, fetch = globalThis.fetch, task = crypto.randomUUID() }) {
  const headers = { "X-User": user, "Content-Type": "application/json" };
  const post = async (path, body) => {
    const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
    if (!response.ok) throw await failure(response);
    return response;
  };

  /** Reads one response and returns whether the turn's last event was in it. */
  const read = async (response, position) => {
    for await (const { event, data } of frames(response.body)) {
      if (event !== "heartbeat") {
        position.turn = data.turn_id;
        position.after = data.seq;
      }
      onEvent(event, data);
      if (event === "error" || (event === "thread_lifecycle" && data.phase === "completed")) return true;
    }
    return false;
  };

  return {
    task,
    /** Runs a turn to its end. */
    async send(message) {
      const position = { turn: null, after: 0 };
      let response = await post("/api/messages", { task, message });
      let attempt = 0;
      for (;;) {
        const before = position.after;
        const isOver = response !== null && (await read(response, position).catch(() => false));
        if (isOver) return;
        if (position.after > before) attempt = 0;
        const waitMs = RECONNECT_MS[attempt++];
        if (position.turn === null || waitMs === undefined) throw new Error("the connection was lost");
        await new Promise((resolve) => setTimeout(resolve, waitMs));
        const query = new URLSearchParams({ task, turn: position.turn, after: String(position.after) });
        response = await fetch(`/api/turns?${query}`, { headers }).catch(() => null);
        if (response !== null && !response.ok) throw await failure(response);
      }
    },
    /** Answers a question or a permission prompt. */
    answer: (requestId, answer) => post("/api/answers", { request_id: requestId, answer }),
    /** Cancels the turn, which ends with an event. */
    cancel: () => post("/api/cancel", { task }),
  };
}

const failure = async (response) => {
  const body = await response.json().catch(() => ({}));
  return new Error(body.error ?? `the backend answered ${response.status}`);
};

/** The frames of an event stream: `event:` and `data:` lines, with a blank line behind them. */
async function* frames(body) {
  let rest = "";
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(part) ?? [];
      if (event !== undefined) yield { event, data: JSON.parse(data) };
    }
  }
}
