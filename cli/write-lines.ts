import { writeWhole } from "./write-whole.ts";

/** Writes lines of JSON to a file of the owner's. Returns their number. */
export async function writeLines(file: string, lines: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  async function* texts() {
    for await (const line of lines) {
      count++;
      yield `${JSON.stringify(line)}\n`;
    }
  }
  await writeWhole(file, texts());
  return count;
}
