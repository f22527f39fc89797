import type { SQLInputValue, StatementSync } from "node:sqlite";
import type { Store } from "../../store/open-store.ts";
import { type RecordType, fileRecord } from "./file-records.ts";
import type { ImportStage, StagedRecord } from "./import-stage.ts";
import { SocialGraph, foldedName } from "../social-graph.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Takes one record of a file over, within the caller's transaction; false when it was here already. A fact or a node
 * that is here under another id stands for the file's.
 */
export class RecordTaker {
  readonly #store: Store;
  readonly #stage: ImportStage;
  readonly #graph: SocialGraph;
  readonly #inserts = new Map<string, StatementSync>();

  constructor(store: Store, stage: ImportStage) {
    this.#store = store;
    this.#stage = stage;
    this.#graph = new SocialGraph(store);
  }

  take(record: StagedRecord): boolean {
    const { type, fields, skip } = record;
    if (skip) return false;
    switch (record.type) {
      case "message":
      case "recall":
        return this.#takeOfTurn(type, fields);
      case "question":
        // Of one that is open nobody waits for the answer here.
        return fields["resolved_at"] !== null && this.#takeOfTurn(type, fields);
      case "compaction":
        return false;
      case "working":
        return this.#takeNote(fields);
      case "knowledge":
        return this.#takeFact(fields);
      case "social_node":
        return this.#takeNode(fields);
      case "social_edge":
        return this.#takeEdge(fields);
      case "social_mention":
        return this.#takeMention(fields);
      case "skill_draft":
        // What a person allowed elsewhere has not been allowed here.
        return this.#insert(
          type,
          fields["state"] === "allowed" ? { ...fields, state: "proposed", decided_at: null } : fields,
        );
      default:
        record.type satisfies "turn" | "plan_item" | "episode" | "trajectory";
        return this.#insert(type, fields);
    }
  }

  /** What took a fact's place may come behind it: this is said when all of them are here. */
  link({ type, fields, skip }: StagedRecord): boolean {
    const { id, superseded_by: by } = fields;
    if (skip || type !== "knowledge" || typeof by !== "string") return false;
    const other = this.#fact(by);
    if (other === null) return false;
    const sql = `update knowledge set superseded_by = ? where id = ? and superseded_by is null and recorded_to is not null`;
    return this.#run(sql, other, String(id));
  }

  /** A conversation is taken over with all of it, or left as it is. */
  #takeOfTurn(type: RecordType, fields: Fields): boolean {
    return this.#stage.find("turn", String(fields["turn_id"]))?.skip === false && this.#insert(type, fields);
  }

  #takeNote(fields: Fields): boolean {
    if (this.#note(fields) !== null) return false;
    const number = Number(String(fields["id"]).slice("note:".length));
    const isFree =
      isNoteNumber(number) && this.#get("select 1 as value from working_memory where id = ?", number) === null;
    return this.#insert("working", { ...fields, id: isFree ? number : null });
  }

  #takeFact(fields: Fields): boolean {
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

  #takeNode(fields: Fields): boolean {
    const { aliases, ...own } = fields;
    const here = this.#node(String(fields["id"]));
    if (here === fields["id"]) return false;
    if (here === null) this.#insert("social_node", own);
    for (const alias of aliases as readonly string[]) this.#graph.addAlias(here ?? String(fields["id"]), alias);
    return here === null;
  }

  #takeEdge(fields: Fields): boolean {
    const [from, to] = [this.#node(String(fields["from"])), this.#node(String(fields["to"]))];
    return from !== null && to !== null && this.#insert("social_edge", { ...fields, from, to });
  }

  #takeMention(fields: Fields): boolean {
    const [wanted, ref] = [String(fields["node_id"]), this.#ref(String(fields["ref"]))];
    const node = this.#node(wanted);
    if (node === null || ref === null) return false;
    const isNew = this.#insert("social_mention", { node_id: node, ref });
    // A node that came with the file came with its count.
    if (isNew && node !== wanted) this.#run("update social_nodes set mentions = mentions + 1 where id = ?", node);
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

  /** The one of this id, or else of this name and sort. */
  #node(id: string): string | null {
    const found = this.#get("select id as value from social_nodes where id = ?", id);
    const named = found === null ? this.#stage.find("social_node", id) : null;
    if (named === null) return found;
    const { name, node_type: sort } = named.fields;
    const folded = foldedName(String(name));
    return (
      this.#graph.find(String(name)).find((one) => one.type === sort && foldedName(one.name) === folded)?.id ?? null
    );
  }

  #insert(type: RecordType, fields: Fields): boolean {
    const { table, fields: known } = fileRecord(type);
    const own = Object.entries(known).filter(([name, { expression }]) => expression === undefined && name in fields);
    const columns = own.map(([, { column }]) => column).join(", ");
    const sql = `insert or ignore into ${table} (${columns}) values (${own.map(() => "?").join(", ")})`;
    return this.#run(sql, ...own.map(([name, { toStore }]) => toStore(fields[name])));
  }

  #run(sql: string, ...values: SQLInputValue[]): boolean {
    return this.#prepared(sql).run(...values).changes === 1;
  }

  #get(sql: string, ...values: SQLInputValue[]): string | null {
    const row = this.#prepared(sql).get(...values);
    return row === undefined ? null : String(row["value"]);
  }

  #prepared(sql: string): StatementSync {
    const statement = this.#inserts.get(sql) ?? this.#store.db.prepare(sql);
    this.#inserts.set(sql, statement);
    return statement;
  }
}

/** Those that come are numbered on from the highest: it must leave them room in the index. */
const isNoteNumber = (number: number): boolean => Number.isInteger(number) && number >= 1 && number <= 2 ** 32;
