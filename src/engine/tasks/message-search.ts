import { setImmediate as nextTurn } from "node:timers/promises";
import type { Logger } from "../../shared/logger.ts";
import { inBackground } from "../../shared/background.ts";
import { type UserContent, contentText } from "../attachments/user-content.ts";
import { indexWords } from "../../shared/words/index-text.ts";
import type { AssistantContent } from "../model/model-provider.ts";
import type { BranchTable } from "../store/branches.ts";
import { isIndexDamage } from "../store/database.ts";
import type { MessageIndex, UnindexedMessage } from "../store/message-index.ts";
import type { Store } from "../store/open-store.ts";
import type { TaskRow } from "../store/tasks.ts";

/** Messages of one transaction. A turn waits for at most one. */
const BATCH = 32;
/** Messages that a search indexes before it answers. What an upgrade or an import has left takes longer. */
const BEFORE_SEARCH = 256;
/** After a turn, so that the next one does not wait for it. */
const AFTER_TURN_MS = 500;
/** Fewer matches name their tasks. With more, many tasks match: they are tried one after the other. */
const FEW_MATCHES = 1000;

export interface Matching {
  /** The numbers of all tasks that match, or null: `fits` tells of each. */
  readonly only: readonly number[] | null;
  readonly fits: (task: TaskRow) => boolean;
}

interface Parts {
  readonly store: Pick<Store, "db" | "transaction">;
  readonly index: MessageIndex;
  readonly branches: BranchTable;
  readonly logger: Logger;
}

/** Full-text search in conversations. Messages are indexed after their turn, in the background. */
export class MessageSearch {
  readonly #parts: Parts;
  #timer: NodeJS.Timeout | undefined;
  #working = false;
  #closed = false;
  #isRebuilt = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.store.db.watchIndexDamage("messages_index", () => this.#tryRebuild());
  }

  /** Indexes in the background what was said since. To be called after each turn and at the start. */
  indexSoon(): void {
    if (this.#closed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      inBackground("indexing of messages", this.#catchUp());
    }, AFTER_TURN_MS).unref();
  }

  /** The next start indexes the rest. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  indexTitle({ number, title }: Pick<TaskRow, "number" | "title">): void {
    this.#parts.index.setTitle(number, indexWords(title).join(" "));
  }

  /**
   * Each word of the query must be in one message of the task, or in its title. Null: it has no word to search for. A
   * damaged index is begun anew: until it is complete, searches find less.
   */
  find(query: string): Matching | null {
    try {
      return this.#find(query);
    } catch (error) {
      if (!isIndexDamage(error) || this.#isRebuilt) throw error;
      this.#rebuild();
      return this.#find(query);
    }
  }

  #find(query: string): Matching | null {
    const { index, branches } = this.#parts;
    for (let done = 0; done < BEFORE_SEARCH && this.#indexSome() > 0; done += BATCH);
    if (index.behind > 0) this.indexSoon();
    const words = [...new Set(indexWords(query))];
    if (words.length === 0) return null;
    const match = words.map((word) => `"${word}"`).join(" ");
    const hits = index.hits(match, FEW_MATCHES);
    if (hits.length < FEW_MATCHES) return { only: index.tasksOf(hits), fits: () => true };
    return { only: null, fits: ({ number, taskId }) => index.has(match, number, branches.ofTask(taskId)) };
  }

  /** Once in the life of a process: what is damaged again at once would be rebuilt forever. */
  #rebuild(): void {
    if (this.#isRebuilt || this.#closed) return;
    const { store, index, logger } = this.#parts;
    store.transaction(() => index.clear());
    this.#isRebuilt = true;
    logger.warn("the index of messages was damaged; it is rebuilt from the stored messages");
    this.indexSoon();
  }

  #tryRebuild(): void {
    try {
      this.#rebuild();
    } catch (error) {
      // The next use of the index tries again.
      this.#parts.logger.error({ err: error }, "failed to rebuild the index of messages");
    }
  }

  async #catchUp(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    try {
      while (!this.#closed && this.#indexSome() > 0) await nextTurn();
    } catch (error) {
      // The next turn tries again.
      this.#parts.logger.error({ err: error }, "failed to index messages for search");
    } finally {
      this.#working = false;
    }
  }

  /** Returns how many messages or titles it has indexed. */
  #indexSome(): number {
    const { store, index } = this.#parts;
    const titles = index.unindexedTitles(BATCH);
    if (titles !== null) {
      store.transaction(() => {
        for (const title of titles) this.indexTitle(title);
        index.titlesIndexed(titles.at(-1)?.number ?? null);
      });
      if (titles.length > 0) return titles.length;
    }
    const messages = index.unindexed(BATCH);
    const last = messages.at(-1);
    if (last === undefined) return 0;
    const terms = messages.flatMap((message) => {
      const text = indexWords(textOf(message)).join(" ");
      return text === "" ? [] : [{ id: message.id, branch: message.branch, text }];
    });
    store.transaction(() => index.add(terms, last.id));
    return messages.length;
  }
}

/** What people read of a message. Reasoning and results of tools are not searched. */
function textOf({ role, content }: UnindexedMessage): string {
  if (role === "user") return contentText(content as UserContent);
  if (role === "tool") return "";
  return (content as readonly AssistantContent[]).flatMap((part) => (part.kind === "text" ? part.text : [])).join("\n");
}
