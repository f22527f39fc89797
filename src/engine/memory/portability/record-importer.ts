import type { SqlValue, Statement } from "../../store/database.ts";
import type { Store } from "../../store/open-store.ts";
import { ConversationImporter } from "./conversation-importer.ts";
import { type RecordType, fileRecord } from "./file-records.ts";
import type { ImportStage, StagedRecord } from "./import-stage.ts";
import { SocialGraph, normalizeName } from "../social-graph.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Imports records within the caller's transaction; false if a record exists. A stored fact or node with another id
 * is used instead of the file's.
 */
export class RecordImporter {
  readonly #store: Store;
  readonly #stage: ImportStage;
  readonly #graph: SocialGraph;
  readonly #conversations: ConversationImporter;
  readonly #statements = new Map<string, Statement>();

  constructor(store: Store, stage: ImportStage) {
    this.#store = store;
    this.#stage = stage;
    this.#graph = new SocialGraph(store);
    this.#conversations = new ConversationImporter(store, stage);
  }

  import(record: StagedRecord): boolean {
    const { type, fields, skip } = record;
    if (skip) return false;
    switch (record.type) {
      case "branch":
        return this.#conversations.importBranch(record);
      case "task":
        return this.#conversations.importTask(fields);
      case "turn":
        if (!this.#insert(type, fields)) return false;
        this.#conversations.turnImported(fields);
        return true;
      case "message":
        return this.#conversations.importMessage(record);
      case "recall":
        return this.#importOfTurn(type, fields);
      case "question":
        // No turn of this engine waits for the answer to an open question.
        return fields["resolved_at"] !== null && this.#importOfTurn(type, fields);
      case "compaction":
        return false;
      case "working":
        return this.#importNote(fields);
      case "knowledge":
        return this.#importFact(fields);
      case "social_node":
        return this.#importNode(fields);
      case "social_edge":
        return this.#importEdge(fields);
      case "social_mention":
        return this.#importMention(fields);
      case "profile_line":
        return this.#importProfileLine(fields);
      case "skill_draft":
        // A skill that was allowed elsewhere needs a new decision here.
        return this.#insert(
          type,
          fields["state"] === "allowed" ? { ...fields, state: "proposed", decided_at: null } : fields,
        );
      default:
        record.type satisfies "plan_item" | "episode" | "trajectory";
        return this.#insert(type, fields);
    }
  }

  /**
   * Once all records are stored: links a closed fact to its successor, which may come later in the file, and counts the
   * messages of a task.
   */
  link({ type, fields, skip }: StagedRecord): boolean {
    if (type === "task") return this.#conversations.countMessages(fields);
    const { id, superseded_by: by } = fields;
    if (skip || type !== "knowledge" || typeof by !== "string") return false;
    const other = this.#fact(by);
    if (other === null) return false;
    const sql = `update knowledge set superseded_by = ? where id = ? and superseded_by is null and recorded_to is not null`;
    return this.#run(sql, other, String(id));
  }

  /** A turn is imported with all its records or not at all. */
  #importOfTurn(type: RecordType, fields: Fields): boolean {
    return this.#stage.find("turn", String(fields["turn_id"]))?.skip === false && this.#insert(type, fields);
  }

  #importNote(fields: Fields): boolean {
    if (this.#note(fields) !== null) return false;
    const number = Number(String(fields["id"]).slice("note:".length));
    const isFree =
      isNoteNumber(number) && this.#get("select 1 as value from working_memory where id = ?", number) === null;
    return this.#insert("working", { ...fields, id: isFree ? number : null });
  }

  #importFact(fields: Fields): boolean {
    const { id, evidence, ...own } = fields;
    if (this.#get("select 1 as value from knowledge where id = ?", String(id)) !== null) return false;
    const live = fields["invalidated_at"] === null ? this.#liveFact(fields) : null;
    if (live === null) this.#insert("knowledge", { ...own, id, superseded_by: null });
    for (const episode of evidence as readonly string[]) {
      const found = this.#episode(episode);
      if (found !== null)
        this.#run(
          "insert or ignore into knowledge_evidence (knowledge_id, episode_id) values (?, ?)",
          live ?? String(id),
          found,
        );
    }
    return live === null;
  }

  /** A line without a fact here has nothing to rest on. */
  #importProfileLine({ facts, ...own }: Fields): boolean {
    const id = String(own["id"]);
    const known = (facts as readonly string[]).flatMap((fact) => this.#fact(fact) ?? []);
    if (known.length === 0 || !this.#insert("profile_line", own)) return false;
    for (const fact of known)
      this.#run("insert or ignore into profile_facts (line_id, knowledge_id) values (?, ?)", id, fact);
    return true;
  }

  #importNode(fields: Fields): boolean {
    const { aliases, ...own } = fields;
    const known = this.#node(String(fields["id"]));
    if (known === fields["id"]) return false;
    if (known === null) this.#insert("social_node", own);
    for (const alias of aliases as readonly string[]) this.#graph.addAlias(known ?? String(fields["id"]), alias);
    return known === null;
  }

  #importEdge(fields: Fields): boolean {
    const [from, to] = [this.#node(String(fields["from"])), this.#node(String(fields["to"]))];
    return from !== null && to !== null && this.#insert("social_edge", { ...fields, from, to });
  }

  #importMention(fields: Fields): boolean {
    const [id, ref] = [String(fields["node_id"]), this.#ref(String(fields["ref"]))];
    const node = this.#node(id);
    if (node === null || ref === null) return false;
    const isNew = this.#insert("social_mention", { node_id: node, ref });
    // The count of a node from the file includes the mention.
    if (isNew && node !== id) this.#run("update social_nodes set mentions = mentions + 1 where id = ?", node);
    return isNew;
  }

  #ref(ref: string): string | null {
    if (ref.startsWith("ep_")) return this.#episode(ref);
    if (ref.startsWith("kn_")) return this.#fact(ref);
    const note = ref.startsWith("note:") ? this.#stage.find("working", ref) : null;
    return note === null ? ref : this.#note(note.fields);
  }

  #note({ turn_id, entry_type, content, created_at }: Fields): string | null {
    return this.#get(
      `select 'note:' || id as value from working_memory
       where turn_id = ? and entry_type = ? and content = ? and created_at = ? limit 1`,
      String(turn_id),
      String(entry_type),
      String(content),
      Date.parse(String(created_at)),
    );
  }

  #episode(id: string): string | null {
    const found = this.#get("select id as value from episodes where id = ?", id);
    const turn = this.#stage.find("episode", id)?.fields["turn_id"];
    if (found !== null || typeof turn !== "string") return found;
    return this.#get("select id as value from episodes where turn_id = ?", turn);
  }

  #fact(id: string): string | null {
    const found = this.#get("select id as value from knowledge where id = ?", id);
    const named = found === null ? this.#stage.find("knowledge", id) : null;
    return named === null ? found : this.#liveFact(named.fields);
  }

  #liveFact({ hash }: Fields): string | null {
    return this.#get("select id as value from knowledge where hash = ? and recorded_to is null", String(hash));
  }

  /** By id, or else by name and type. */
  #node(id: string): string | null {
    const found = this.#get("select id as value from social_nodes where id = ?", id);
    const named = found === null ? this.#stage.find("social_node", id) : null;
    if (named === null) return found;
    const { name, node_type: type } = named.fields;
    const normalized = normalizeName(String(name));
    return (
      this.#graph.find(String(name)).find((one) => one.type === type && normalizeName(one.name) === normalized)?.id ??
      null
    );
  }

  #insert(type: RecordType, fields: Fields): boolean {
    const { table, fields: known } = fileRecord(type);
    const own = Object.entries(known).filter(([name, { expression }]) => expression === undefined && name in fields);
    const columns = own.map(([, { column }]) => column).join(", ");
    const sql = `insert or ignore into ${table} (${columns}) values (${own.map(() => "?").join(", ")})`;
    return this.#run(sql, ...own.map(([name, { toStore }]) => toStore(fields[name])));
  }

  #run(sql: string, ...values: SqlValue[]): boolean {
    return this.#prepared(sql).run(...values).changes === 1;
  }

  #get(sql: string, ...values: SqlValue[]): string | null {
    const row = this.#prepared(sql).get(...values);
    return row === undefined ? null : String(row["value"]);
  }

  #prepared(sql: string): Statement {
    const statement = this.#statements.get(sql) ?? this.#store.db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** New notes are numbered from the highest, which must stay within the index's range. */
const isNoteNumber = (number: number): boolean => Number.isInteger(number) && number >= 1 && number <= 2 ** 32;
