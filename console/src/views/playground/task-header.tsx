import type { EngineClient, TaskRecord } from "@orchd/client";
import { useState } from "preact/hooks";
import { useAction } from "../../parts/action.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { CheckField, TextField } from "../../parts/field.tsx";
import { linkTo, navigate } from "../../routing/address.ts";
import { taskPath } from "./task-path.ts";

interface HeaderProps {
  readonly engine: string;
  readonly calls: EngineClient;
  readonly task: string;
  /** Null before its first turn. */
  readonly record: TaskRecord | null;
  readonly onChanged: () => void;
}

type Open = "rename" | "delete" | null;

/** What a conversation is about, and what can be done with it as a whole. */
export const TaskHeader = ({ engine, calls, task, record, onChanged }: HeaderProps) => {
  const [open, setOpen] = useState<Open>(null);
  const { isBusy, run } = useAction();
  const close = () => setOpen(null);
  if (record === null)
    return (
      <header class="section-head">
        <h2>New conversation</h2>
      </header>
    );
  const { title, archived, parent } = record;
  const archive = async () => {
    if (
      await run(() => calls.changeTask(task, { archived: !archived }), archived ? "It is listed again." : "Archived.")
    )
      onChanged();
  };
  return (
    <header class="task-head">
      <div class="section-head">
        <h2>
          <bdi>{title}</bdi>
        </h2>
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
        </div>
      </div>
      <p class="dim">
        <code>
          <bdi>{task}</bdi>
        </code>{" "}
        · <a href={linkTo(`/engines/${engine}/turns?task=${encodeURIComponent(task)}`)}>Its turns</a>
        {parent !== null && (
          <>
            {" "}
            · forked from{" "}
            <a href={linkTo(taskPath(engine, parent.task_id))}>
              <bdi>{parent.task_id}</bdi>
            </a>
          </>
        )}
      </p>
      {open === "rename" && <Rename calls={calls} record={record} onChanged={onChanged} onClose={close} />}
      {open === "delete" && <Delete engine={engine} calls={calls} record={record} onClose={close} />}
    </header>
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

const Delete = ({ engine, calls, record, onClose }: DialogProps & { readonly engine: string }) => {
  const [forget, setForget] = useState(false);
  const { isBusy, run } = useAction();
  const remove = async () => {
    if (await run(() => calls.deleteTask(record.task_id, { forget }), "The conversation is deleted."))
      navigate(taskPath(engine));
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
