import { newId } from "../../shared/ids.ts";
import { Table } from "../store/table.ts";

/** Learning batches and their results. */
export class LearningBatchTable extends Table {
  readonly #begin = this.db.prepare("insert into learning_batches (id, started_at) values (?, ?)");
  readonly #end = this.db.prepare("update learning_batches set ended_at = ?, counts = ?, error = ? where id = ?");
  readonly #closeInterrupted = this.db.prepare(
    "update learning_batches set ended_at = ?, error = ? where ended_at is null",
  );

  begin(startedAt: number): string {
    const id = newId("lb");
    this.#begin.run(id, startedAt);
    return id;
  }

  end(
    id: string,
    {
      endedAt,
      counts,
      error,
    }: { readonly endedAt: number; readonly counts: Readonly<Record<string, number>>; readonly error: string | null },
  ): void {
    this.#end.run(endedAt, JSON.stringify(counts), error, id);
  }

  /** Closes batches of a killed engine. What they learned stays; the next batch continues. */
  closeInterrupted(endedAt: number): void {
    this.#closeInterrupted.run(endedAt, "the engine stopped during the batch");
  }
}
