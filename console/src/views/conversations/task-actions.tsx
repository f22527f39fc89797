import type { EngineClient, TaskRecord } from "@orchd/client";
import { useState } from "preact/hooks";
import { useAction } from "../../parts/action.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { CheckField, TextField } from "../../parts/field.tsx";

interface TaskActionsProps {
  readonly calls: EngineClient;
  readonly record: TaskRecord;
  readonly onChanged: () => void;
  readonly onDeleted: () => void;
}

/** What can be done with a conversation as a whole. */
export const TaskActions = ({ calls, record, onChanged, onDeleted }: TaskActionsProps) => {
  const [open, setOpen] = useState<"rename" | "delete" | null>(null);
  const { isBusy, run } = useAction();
  const close = () => setOpen(null);
  const { task_id: task, archived } = record;
  const archive = async () => {
    if (
      await run(() => calls.changeTask(task, { archived: !archived }), archived ? "It is listed again." : "Archived.")
    )
      onChanged();
  };
  return (
    <div class="actions">
      <button type="button" class="small" onClick={() => setOpen("rename")}>
        Rename
      </button>
      <button type="button" class="small" disabled={isBusy} onClick={() => void archive()}>
        {archived ? "Unarchive" : "Archive it"}
      </button>
      <button type="button" class="small danger" onClick={() => setOpen("delete")}>
        Delete
      </button>
      {open === "rename" && <Rename calls={calls} record={record} onChanged={onChanged} onClose={close} />}
      {open === "delete" && <Delete calls={calls} record={record} onDeleted={onDeleted} onClose={close} />}
    </div>
  );
};

interface DialogProps {
  readonly calls: EngineClient;
  readonly record: TaskRecord;
  readonly onClose: () => void;
}

const Rename = ({ calls, record, onChanged, onClose }: DialogProps & { readonly onChanged: () => void }) => {
  const [title, setTitle] = useState(record.title);
  const { isBusy, run } = useAction();
  const rename = async () => {
    if (!(await run(() => calls.changeTask(record.task_id, { title })))) return;
    onChanged();
    onClose();
  };
  return (
    <Dialog title="Rename the conversation" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void rename();
        }}
      >
        <TextField label="Title" value={title} onInput={setTitle} autoFocus />
        <div class="dialog-actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={isBusy || title.trim() === ""}>
            Rename
          </button>
        </div>
      </form>
    </Dialog>
  );
};

const Delete = ({ calls, record, onDeleted, onClose }: DialogProps & { readonly onDeleted: () => void }) => {
  const [forget, setForget] = useState(false);
  const { isBusy, run } = useAction();
  const remove = async () => {
    if (!(await run(() => calls.deleteTask(record.task_id, { forget }), "The conversation is deleted."))) return;
    onClose();
    onDeleted();
  };
  return (
    <Confirm
      title="Delete the conversation"
      action="Delete"
      isBusy={isBusy}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      <p>
        Its messages, turns and files are deleted: <bdi>{record.title}</bdi>
      </p>
      <CheckField
        label="Forget what was learned from it"
        hint="Facts, rounds and notes that come from it alone."
        isChecked={forget}
        onChange={setForget}
      />
    </Confirm>
  );
};
