interface SearchFieldProps {
  readonly placeholder: string;
  /** For screen readers. Left out: the placeholder. */
  readonly label?: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

/** The search of a view. The key `/` focuses it. */
export const SearchField = ({ placeholder, label = placeholder, value, onInput }: SearchFieldProps) => (
  <input
    data-search
    type="search"
    placeholder={placeholder}
    aria-label={label}
    value={value}
    spellcheck={false}
    onInput={({ currentTarget }) => onInput(currentTarget.value)}
  />
);
