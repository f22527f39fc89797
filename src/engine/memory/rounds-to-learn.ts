import { type Episode, EpisodeTable, type Refinement } from "./episodes.ts";
import { type Trajectory, TrajectoryTable } from "./trajectories.ts";
import { TRUST, type Trust } from "./trust.ts";
import { Table } from "../store/table.ts";

/** An ended turn with everything that learning reads. */
export interface Round {
  readonly trajectory: Trajectory;
  /** Null if the turn left no episode. */
  readonly episode: Episode | null;
  /** The agent's notes. */
  readonly notes: readonly string[];
  /** Questions of the agent to the user, with the answers. */
  readonly asked: readonly { readonly question: string; readonly answer: string }[];
  /** The least trust of the task's turns up to this one. */
  readonly contextTrust: Trust;
  /** Trust of the message: a webhook's payload comes from outside, and a schedule's message from the product. */
  readonly messageTrust: Trust;
  /** The recalled block of the turn: nothing in it is new. */
  readonly recalled: string;
}

/** Turns that no learning batch has read. */
export class RoundsToLearn extends Table {
  readonly #episodes = new EpisodeTable(this.store);
  readonly #trajectories = new TrajectoryTable(this.store);
  readonly #notes = this.db.prepare(
    "select content from working_memory where turn_id = ? and entry_type <> 'summary' order by id",
  );
  readonly #asked = this.db.prepare(
    `select question, answer from hitl_requests
     where turn_id = ? and kind = 'question' and answer is not null order by created_at, request_id`,
  );
  readonly #context = this.db.prepare("select min(trust) as least from trajectories where task_id = ? and number <= ?");
  readonly #message = this.db.prepare(
    `select iif(json_extract(metadata, '$.webhook_id') is not null, ${TRUST.external},
       iif(json_extract(metadata, '$.schedule_id') is not null, ${TRUST.model}, ${TRUST.user})) as trust
     from turns where turn_id = ?`,
  );
  readonly #recalled = this.db.prepare("select block from recalls where turn_id = ?");
  readonly #successes = this.db.prepare(
    `select trajectories.id as id, trajectories.number as number, trajectories.trust as trust, question,
       (select json_group_array(json_array(json_extract(step.value, '$.tool'), json_extract(step.value, '$.ok')))
        from json_each(steps) step where json_extract(step.value, '$.thread') is null) as calls
     from trajectories join episodes using (turn_id)
     where outcome = 'completed' and steps <> '[]' and trajectories.number < ?
     order by trajectories.number desc limit ?`,
  );

  /** The oldest first. */
  next(limit: number): readonly Round[] {
    return this.#trajectories.unlearned(limit).map((trajectory) => {
      const { turnId, taskId, number } = trajectory;
      return {
        trajectory,
        episode: this.#episodes.ofTurn(turnId),
        notes: this.#notes.all(turnId).map((row) => String(row["content"])),
        asked: this.#asked.all(turnId) as unknown as Round["asked"],
        contextTrust: Number(this.#context.get(taskId, number)?.["least"] ?? TRUST.external) as Trust,
        messageTrust: Number(this.#message.get(turnId)?.["trust"] ?? TRUST.user) as Trust,
        recalled: String(this.#recalled.get(turnId)?.["block"] ?? ""),
      };
    });
  }

  waiting(): number {
    return this.#trajectories.countUnlearned();
  }

  /** Within the caller's transaction; false if a batch has read it before. */
  markLearned(number: number, batchId: string): boolean {
    return this.#trajectories.markLearned(number, batchId);
  }

  /** Within the caller's transaction. */
  refine(id: string, refinement: Refinement): void {
    this.#episodes.refine(id, refinement);
  }

  /** Completed turns with their tool calls, the newest first, without tool output. */
  successes({ before, limit }: { readonly before: number; readonly limit: number }): readonly SuccessfulTurn[] {
    return this.#successes.all(before, limit).map((row) => ({
      id: String(row["id"]),
      number: Number(row["number"]),
      trust: Number(row["trust"]) as Trust,
      question: String(row["question"]),
      calls: (JSON.parse(String(row["calls"])) as [string, number][]).map(([tool, ok]) => ({ tool, ok: ok === 1 })),
    }));
  }
}

export interface SuccessfulTurn {
  readonly id: string;
  readonly number: number;
  readonly trust: Trust;
  readonly question: string;
  readonly calls: readonly { readonly tool: string; readonly ok: boolean }[];
}
