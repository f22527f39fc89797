import { useState } from "preact/hooks";

const LONG_TEXT = 400;
const MANY = 100;

interface JsonTreeProps {
  readonly value: unknown;
  readonly name?: string;
  /** Levels that are open from the start. */
  readonly open?: number;
}

/** JSON that is opened level by level. What is closed is not drawn. */
export const JsonTree = ({ value, name, open = 1 }: JsonTreeProps) => {
  const [isOpen, setOpen] = useState(open > 0);
  const [shown, setShown] = useState(MANY);
  const label = name === undefined ? null : <span class="json-name">{name}: </span>;
  if (typeof value !== "object" || value === null)
    return (
      <div class="json-leaf">
        {label}
        <Leaf value={value} />
      </div>
    );
  const entries = Object.entries(value);
  const kind = Array.isArray(value) ? `${entries.length} items` : `${entries.length} fields`;
  return (
    <details class="json" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {label}
        <span class="dim">{summaryOf(value) ?? kind}</span>
      </summary>
      {isOpen &&
        entries.slice(0, shown).map(([key, inner]) => <JsonTree key={key} name={key} value={inner} open={open - 1} />)}
      {isOpen && entries.length > shown && (
        <button type="button" class="small" onClick={() => setShown(shown + MANY)}>
          {entries.length - shown} more
        </button>
      )}
    </details>
  );
};

const Leaf = ({ value }: { readonly value: unknown }) => {
  const [isWhole, setWhole] = useState(false);
  if (typeof value !== "string") return <code class="json-value">{String(value)}</code>;
  const isLong = value.length > LONG_TEXT && !isWhole;
  return (
    <>
      <bdi class="json-text">{isLong ? `${value.slice(0, LONG_TEXT)}…` : value}</bdi>
      {isLong && (
        <button type="button" class="small" onClick={() => setWhole(true)}>
          All {value.length.toLocaleString("en")} characters
        </button>
      )}
    </>
  );
};

/** The field that distinguishes the items of a list, such as the role of a message. */
function summaryOf(value: object): string | null {
  const found = ["role", "type", "name"].map((key) => (value as Record<string, unknown>)[key]);
  const words = found.filter((word): word is string => typeof word === "string" && word.length < 60);
  return words.length > 0 ? words.join(" ") : null;
}
