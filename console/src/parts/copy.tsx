import { useState } from "preact/hooks";
import { notify } from "./notices.tsx";

const SHOWN_MS = 1500;

/** Copies a text. The label says what. */
export const Copy = ({ text, label = "Copy" }: { readonly text: string; readonly label?: string }) => {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(setCopied, SHOWN_MS, false);
    } catch {
      notify("problem", "The browser refused to copy. Select the text and copy it yourself.");
    }
  };
  return (
    <button type="button" class="small" onClick={() => void copy()}>
      {isCopied ? "Copied" : label}
    </button>
  );
};

/** A command to type, with a button that copies it. */
export const Command = ({ text }: { readonly text: string }) => (
  <div class="command">
    <code>{text}</code>
    <Copy text={text} />
  </div>
);
