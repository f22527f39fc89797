import { sql } from "kysely";
import type { Db } from "./database.ts";

/** Whether the database answers within the deadline. */
export async function databaseAnswers(db: Db, deadlineMs: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), deadlineMs);
  const answered = sql`select 1`.execute(db).then(
    () => true,
    () => false,
  );
  const result = await Promise.race([answered, late.promise]);
  clearTimeout(timer);
  return result;
}
