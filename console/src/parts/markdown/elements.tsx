import type { MarkedToken, Token, Tokens } from "marked";
import type { ComponentChildren } from "preact";
import { withCharacters } from "./characters.ts";
import { GrowingText, blocksOf } from "./growing-text.ts";
import { webAddress } from "./web-address.ts";

/** Elements of the page for a text in Markdown. HTML in it is text, and images are links: nothing is loaded or run. */
export class MarkdownElements {
  readonly #text = new GrowingText();
  readonly #closed: ComponentChildren[] = [];
  #shown: { readonly text: string; readonly isGrowing: boolean; readonly elements: ComponentChildren[] } | null = null;

  /** The same objects for what has not changed since the last call, so that only the rest is drawn. */
  of(text: string, isGrowing: boolean): ComponentChildren[] {
    if (this.#shown?.text !== text || this.#shown.isGrowing !== isGrowing)
      this.#shown = { text, isGrowing, elements: isGrowing ? this.#growing(text) : blocks(blocksOf(text)) };
    return this.#shown.elements;
  }

  #growing(text: string): ComponentChildren[] {
    const open = this.#text.grow(text);
    const { closed } = this.#text;
    if (closed.length < this.#closed.length) this.#closed.length = 0;
    for (const block of closed.slice(this.#closed.length)) this.#closed.push(blockOf(block, this.#closed.length));
    return [...this.#closed, ...open.map((block, index) => blockOf(block, closed.length + index))];
  }
}

const blocks = (tokens: readonly Token[]): ComponentChildren[] => tokens.map(blockOf);

function blockOf(of: Token, at: number): ComponentChildren {
  const token = of as MarkedToken;
  switch (token.type) {
    case "heading": {
      // The page has its own headings of the first two levels.
      const Heading = `h${Math.min(6, token.depth + 2)}` as "h3";
      return <Heading key={at}>{inline(token.tokens)}</Heading>;
    }
    case "code":
      return (
        <pre key={at}>
          <code>{token.text}</code>
        </pre>
      );
    case "blockquote":
      return <blockquote key={at}>{blocks(token.tokens)}</blockquote>;
    case "list":
      return <List key={at} list={token} />;
    case "table":
      return <MarkdownTable key={at} table={token} />;
    case "hr":
      return <hr key={at} />;
    case "paragraph":
      return <p key={at}>{inline(token.tokens)}</p>;
    case "text":
      return token.tokens === undefined ? (
        <p key={at} class="as-written">
          {token.text}
        </p>
      ) : (
        <span key={at}>{inline(token.tokens)}</span>
      );
    case "space":
    case "def":
      return null;
    case "html":
      return (
        <p key={at} class="as-written">
          {token.raw.trimEnd()}
        </p>
      );
    default:
      return inlineOf(token, at);
  }
}

const List = ({ list: { ordered, start, items } }: { readonly list: Tokens.List }) => {
  const shown = items.map((item, at) => <li key={at}>{blocks(item.tokens)}</li>);
  return ordered ? <ol start={start === "" ? 1 : start}>{shown}</ol> : <ul>{shown}</ul>;
};

const MarkdownTable = ({ table: { header, rows } }: { readonly table: Tokens.Table }) => (
  <div class="table-scroll" role="region" aria-label="Table" tabIndex={0}>
    <table>
      <thead>
        <tr>
          {header.map((cell, at) => (
            <th key={at} scope="col" style={{ textAlign: cell.align ?? "" }}>
              {inline(cell.tokens)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <tr key={at}>
            {row.map((cell, column) => (
              <td key={column} style={{ textAlign: cell.align ?? "" }}>
                {inline(cell.tokens)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const inline = (tokens: readonly Token[]): ComponentChildren[] => tokens.map(inlineOf);

function inlineOf(of: Token, at: number): ComponentChildren {
  const token = of as MarkedToken;
  switch (token.type) {
    case "strong":
      return <strong key={at}>{inline(token.tokens)}</strong>;
    case "em":
      return <em key={at}>{inline(token.tokens)}</em>;
    case "del":
      return <del key={at}>{inline(token.tokens)}</del>;
    case "codespan":
      return <code key={at}>{token.text}</code>;
    case "br":
      return <br key={at} />;
    case "checkbox":
      return (
        <input key={at} type="checkbox" disabled checked={token.checked} aria-label={token.checked ? "done" : "open"} />
      );
    case "link":
      return <Link key={at} href={token.href} label={inline(token.tokens)} />;
    case "image":
      return <Link key={at} href={token.href} label={token.text === "" ? "image" : withCharacters(token.text)} />;
    case "text":
      return token.tokens === undefined ? withCharacters(token.text) : inline(token.tokens);
    case "escape":
      return token.text;
    default:
      return token.raw;
  }
}

const Link = ({ href, label }: { readonly href: string; readonly label: ComponentChildren }) => {
  const address = webAddress(href);
  if (address === null) return <>{label}</>;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer">
      {label}
    </a>
  );
};
