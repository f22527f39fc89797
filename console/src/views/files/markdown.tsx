import type { ComponentChildren } from "preact";

/** Common Markdown as elements of the page: HTML in it is text, and images are links. */
export const Markdown = ({ text }: { readonly text: string }) => (
  <div class="markdown">{blocksOf(text).map(Block)}</div>
);

type Block =
  | { readonly kind: "heading"; readonly level: number; readonly text: string }
  | { readonly kind: "code" | "text" | "quote"; readonly text: string }
  | { readonly kind: "list"; readonly isOrdered: boolean; readonly items: readonly string[] };

const FENCE = /^ {0,3}(?:```|~~~)/;
const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;
const ITEM = /^\s*(?:[-*+]|(\d+)[.)])\s+(.*)$/;

function blocksOf(text: string): readonly Block[] {
  const lines = text.replaceAll("\r", "").split("\n");
  const blocks: Block[] = [];
  const take = (fits: (line: string) => boolean): string[] => {
    const taken: string[] = [];
    while (lines.length > 0 && fits(lines[0] ?? "")) taken.push(lines.shift() ?? "");
    return taken;
  };
  const isPlain = (line: string) =>
    line.trim() !== "" && !FENCE.test(line) && !HEADING.test(line) && !ITEM.test(line) && !line.startsWith(">");
  while (lines.length > 0) {
    const line = lines[0] ?? "";
    const [, marks = "", title = ""] = HEADING.exec(line) ?? [];
    if (FENCE.test(line)) {
      lines.shift();
      blocks.push({ kind: "code", text: take((one) => !FENCE.test(one)).join("\n") });
      lines.shift();
    } else if (marks !== "") {
      lines.shift();
      blocks.push({ kind: "heading", level: marks.length, text: title });
    } else if (ITEM.test(line)) {
      const isOrdered = ITEM.exec(line)?.[1] !== undefined;
      const items = take((one) => ITEM.test(one)).map((one) => ITEM.exec(one)?.[2] ?? "");
      blocks.push({ kind: "list", isOrdered, items });
    } else if (line.startsWith(">")) {
      const quoted = take((one) => one.startsWith(">")).map((one) => one.replace(/^> ?/, ""));
      blocks.push({ kind: "quote", text: quoted.join("\n") });
    } else if (isPlain(line)) blocks.push({ kind: "text", text: take(isPlain).join("\n") });
    else lines.shift();
  }
  return blocks;
}

function Block(block: Block, at: number) {
  switch (block.kind) {
    case "heading": {
      // The page has its own headings of the first two levels.
      const Heading = `h${Math.min(6, block.level + 2)}` as "h3";
      return <Heading key={at}>{inline(block.text)}</Heading>;
    }
    case "code":
      return (
        <pre key={at} class="file-text">
          {block.text}
        </pre>
      );
    case "quote":
      return <blockquote key={at}>{inline(block.text)}</blockquote>;
    case "list": {
      const items = block.items.map((item, place) => <li key={place}>{inline(item)}</li>);
      return block.isOrdered ? <ol key={at}>{items}</ol> : <ul key={at}>{items}</ul>;
    }
    case "text":
      return <p key={at}>{inline(block.text)}</p>;
    default:
      return block satisfies never;
  }
}

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|[*_]([^*_\s][^*_]*)[*_]|!?\[([^\]]*)\]\(([^()\s]+)\)/g;

/** Links lead to pages of the web only. */
function inline(text: string): ComponentChildren {
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, strong, emphasis, label, href = ""] = match;
    parts.push(text.slice(end, match.index));
    end = match.index + whole.length;
    if (code !== undefined) parts.push(<code>{code}</code>);
    else if (strong !== undefined) parts.push(<strong>{strong}</strong>);
    else if (emphasis !== undefined) parts.push(<em>{emphasis}</em>);
    else if (!/^https?:/i.test(href)) parts.push(label);
    else
      parts.push(
        <a href={href} target="_blank" rel="noopener noreferrer">
          {label}
        </a>,
      );
  }
  return [...parts, text.slice(end)];
}
