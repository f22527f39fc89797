/** The first rows of a CSV text (RFC 4180). The separator is the one of `,`, `;` and tab that the first line has most of. */
export function readCsv(text: string, maxRows: number): readonly (readonly string[])[] {
  const [first = ""] = text.split("\n", 1);
  const countOf = (separator: string) => first.split(separator).length;
  const separator = [",", ";", "\t"].reduce((best, one) => (countOf(one) > countOf(best) ? one : best));
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let isQuoted = false;
  const endCell = () => {
    row.push(cell);
    cell = "";
  };
  const endRow = () => {
    endCell();
    rows.push(row);
    row = [];
  };
  for (let at = 0; at < text.length && rows.length < maxRows; at++) {
    const character = text[at];
    if (isQuoted && character === '"' && text[at + 1] === '"') cell += text[++at];
    else if (character === '"' && (isQuoted || cell === "")) isQuoted = !isQuoted;
    else if (isQuoted) cell += character;
    else if (character === separator) endCell();
    else if (character === "\n") endRow();
    else if (character !== "\r") cell += character;
  }
  if (rows.length < maxRows && (cell !== "" || row.length > 0)) endRow();
  return rows;
}
