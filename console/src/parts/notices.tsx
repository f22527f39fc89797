import { signal } from "@preact/signals";

interface Notice {
  readonly id: number;
  readonly kind: "done" | "problem";
  readonly text: string;
}

const notices = signal<readonly Notice[]>([]);
const SHOWN_MS = 6000;
const MAX_SHOWN = 4;
let lastId = 0;

const dismiss = (id: number): void => {
  notices.value = notices.value.filter((notice) => notice.id !== id);
};

/** Shows a message. A problem stays until it is dismissed. */
export function notify(kind: Notice["kind"], text: string): void {
  const id = ++lastId;
  notices.value = [...notices.value, { id, kind, text }].slice(-MAX_SHOWN);
  if (kind === "done") setTimeout(dismiss, SHOWN_MS, id);
}

export const Notices = () => (
  <div class="notices" role="status" aria-live="polite">
    {notices.value.map(({ id, kind, text }) => (
      <div key={id} class={`notice ${kind}`}>
        <span>{text}</span>
        <button type="button" class="quiet" aria-label="Dismiss" onClick={() => dismiss(id)}>
          ×
        </button>
      </div>
    ))}
  </div>
);
