import { Copy } from "./copy.tsx";
import { Dialog } from "./dialog.tsx";

/** A key that is shown once. */
export const SecretDialog = ({
  title,
  secret,
  note,
  onClose,
}: {
  readonly title: string;
  readonly secret: string;
  readonly note: string;
  readonly onClose: () => void;
}) => (
  <Dialog title={title} onClose={onClose}>
    <p>{note}</p>
    <div class="command">
      <code data-secret>{secret}</code>
      <Copy text={secret} />
    </div>
    <div class="dialog-actions">
      <button type="button" class="primary" onClick={onClose}>
        I have stored it
      </button>
    </div>
  </Dialog>
);
