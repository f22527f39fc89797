import { createHash } from "node:crypto";
import { MemberRules } from "./member-rules.ts";
import type { Member } from "../shared/tar.ts";

/** A section whose list is not read yet. */
export class OpenSection {
  readonly name: string;
  readonly #rules = new MemberRules();
  readonly #lines: string[] = [];
  bytes = 0;

  constructor(name: string) {
    this.name = name;
  }

  get members(): number {
    return this.#lines.length;
  }

  list(): string {
    return this.#lines.map((line) => `${line}\n`).join("");
  }

  accept(member: Member, body: AsyncIterable<Uint8Array>) {
    this.#rules.accept(member);
    const { path, type, size, target } = member;
    const hash = createHash("sha256");
    const chunks = body[Symbol.asyncIterator]();
    async function* hashed(): AsyncGenerator<Uint8Array> {
      for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
        hash.update(next.value);
        yield next.value;
      }
    }
    return {
      body: hashed(),
      finish: async () => {
        for await (const _ of hashed());
        if (type === "symlink") hash.update(target);
        const sha256 = type === "directory" ? "" : hash.digest("hex");
        this.#lines.push(JSON.stringify({ path, type, size, sha256 }));
        this.bytes += size;
      },
    };
  }
}

/** The first member that differs from its list. */
export function firstDifference(list: string, found: string): string {
  const [listed, read] = [list.split("\n"), found.split("\n")];
  const at = read.findIndex((line, index) => line !== listed[index]);
  const line = (at === -1 ? listed[read.length - 1] : read[at]) || listed[at] || "{}";
  const path = /"path":("(?:[^"\\]|\\.)*")/.exec(line)?.[1] ?? "its list";
  return `member ${path} differs from the list of its section (size, hash or place)`;
}
