import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Dialog } from "./dialog.tsx";
import { TextField } from "./field.tsx";

interface ConfirmProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly action: string;
  /** What must be typed first. */
  readonly typed?: string;
  readonly isBusy: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something that cannot be undone. */
export const Confirm = ({ title, children, action, typed, isBusy, onConfirm, onClose }: ConfirmProps) => {
  const [text, setText] = useState("");
  const isPermitted = typed === undefined || text === typed;
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isPermitted) onConfirm();
        }}
      >
        {children}
        {typed !== undefined && (
          <>
            <p>
              Type <code class="typed">{typed}</code> to confirm.
            </p>
            <TextField label="Confirmation" value={text} onInput={setText} autoFocus />
          </>
        )}
        <div class="dialog-actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="danger" disabled={!isPermitted || isBusy}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
};
