import { Dialog } from "../parts/dialog.tsx";
import type { View } from "../views/view.ts";
import { isHelpOpen } from "./shortcuts.ts";

/** Every shortcut. */
export const Help = ({ views }: { readonly views: readonly View[] }) =>
  isHelpOpen.value ? (
    <Dialog title="Keyboard" onClose={() => (isHelpOpen.value = false)}>
      <dl class="keys">
        {views.map(({ title, key }) => (
          <div key={title}>
            <dt>
              <kbd>g</kbd> <kbd>{key}</kbd>
            </dt>
            <dd>{title}</dd>
          </div>
        ))}
        <div>
          <dt>
            <kbd>/</kbd>
          </dt>
          <dd>Search</dd>
        </div>
        <div>
          <dt>
            <kbd>↑</kbd> <kbd>↓</kbd>
          </dt>
          <dd>Move between rows of a table</dd>
        </div>
        <div>
          <dt>
            <kbd>←</kbd> <kbd>→</kbd>
          </dt>
          <dd>Read the values of a focused plot</dd>
        </div>
        <div>
          <dt>
            <kbd>Alt</kbd> <kbd>Enter</kbd>
          </dt>
          <dd>Queue a message while a turn runs; Enter steers</dd>
        </div>
        <div>
          <dt>
            <kbd>Ctrl</kbd> <kbd>Enter</kbd>
          </dt>
          <dd>Interrupt the answer with a message</dd>
        </div>
        <div>
          <dt>
            <kbd>Esc</kbd>
          </dt>
          <dd>Close a dialog</dd>
        </div>
        <div>
          <dt>
            <kbd>?</kbd>
          </dt>
          <dd>This list</dd>
        </div>
      </dl>
    </Dialog>
  ) : null;
