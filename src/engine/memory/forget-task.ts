import { Table } from "../store/table.ts";

/** What was forgotten, by kind. */
export type Forgotten = Readonly<
  Record<"episodes" | "trajectories" | "notes" | "facts" | "people" | "profile_lines" | "skill_drafts", number>
>;

const WITHOUT_FACTS = "delete from profile_lines where id not in (select line_id from profile_facts)";
const EPISODES = "select id from episodes where task_id = ?1";

/**
 * Removes from memory what it has learned from one task alone. What other tasks have said too stays. Runs in a
 * transaction of the caller, while no learning batch runs.
 */
export class TaskForgetting extends Table {
  forget(taskId: string): Forgotten {
    const run = (sql: string) => this.db.prepare(sql).run(taskId).changes;
    const facts = `knowledge.id in (select knowledge_id from knowledge_evidence where episode_id in (${EPISODES}))
      and not exists (select 1 from knowledge_evidence where knowledge_id = knowledge.id and episode_id not in (${EPISODES}))`;
    const refs = `select id from episodes where task_id = ?1
      union select 'note:' || id from working_memory where task_id = ?1
      union select id from knowledge where ${facts}`;
    const skillDrafts = run(
      `delete from skill_drafts where state = 'proposed' and not exists (
         select 1 from json_each(trajectories) where value not in (select id from trajectories where task_id = ?1))`,
    );
    const people = run(
      `delete from social_nodes where id in (select node_id from social_mentions where ref in (${refs}))
         and not exists (select 1 from social_mentions where node_id = social_nodes.id and ref not in (${refs}))`,
    );
    run(
      `update social_nodes set mentions = max(0, mentions - (
         select count(*) from social_mentions where node_id = social_nodes.id and ref in (${refs})))
       where id in (select node_id from social_mentions where ref in (${refs}))`,
    );
    run(`delete from social_mentions where ref in (${refs})`);
    run(`update knowledge set superseded_by = null where superseded_by in (select id from knowledge where ${facts})`);
    const profileLines = run(
      `delete from profile_lines where origin = 'learned' and deleted_at is null and id in (
         select line_id from profile_facts join knowledge on knowledge.id = knowledge_id where ${facts})`,
    );
    // The index keeps words of deleted rows until its segments are merged.
    this.store.state.remove("index_merged");
    return {
      facts: run(`delete from knowledge where ${facts}`),
      episodes: run("delete from episodes where task_id = ?1"),
      trajectories: run("delete from trajectories where task_id = ?1"),
      notes: run("delete from working_memory where task_id = ?1"),
      people,
      // Lines of a person, and what is remembered of deleted ones, go with the last of their facts.
      profile_lines: profileLines + this.db.prepare(WITHOUT_FACTS).run().changes,
      skill_drafts: skillDrafts,
    };
  }
}
