import type { ProfileLine } from "@orchd/client";
import { useState } from "preact/hooks";
import { Dialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";

interface CorrectLineProps {
  readonly line: ProfileLine;
  readonly isBusy: boolean;
  readonly onSave: (text: string) => void;
  readonly onClose: () => void;
}

const MAX_CHARACTERS = 200;

/** Asks what a line of the profile says from now on. */
export const CorrectLine = ({ line, isBusy, onSave, onClose }: CorrectLineProps) => {
  const [text, setText] = useState(line.text);
  const left = MAX_CHARACTERS - Array.from(text).length;
  return (
    <Dialog title="Correct the line" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onSave(text.trim());
        }}
      >
        <TextField
          label="Line"
          value={text}
          onInput={setText}
          hint="No learning batch changes what a person has written."
          problem={left < 0 ? `${-left} characters too many` : null}
          autoFocus
        />
        <div class="dialog-actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" disabled={isBusy || left < 0 || text.trim() === "" || text.trim() === line.text}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
};
