import type { EventRecord } from "@orchd/client";
import { transcriptPath } from "../conversations/transcript-path.ts";

interface EventLink {
  readonly title: string;
  readonly path: string;
}

/** Where what an event is about is shown, for those who may read what users wrote. */
export function eventLinks({ engine_id: engine, data }: EventRecord): readonly EventLink[] {
  if (engine === null) return [];
  const { turn_id: turn, task_id: task } = data;
  const isPlanned = typeof data["schedule_id"] === "string" || typeof data["webhook_id"] === "string";
  return [
    ...(typeof turn === "string"
      ? [{ title: "Turn", path: `/engines/${engine}/turns/${encodeURIComponent(turn)}` }]
      : []),
    ...(typeof task === "string" ? [{ title: "Conversation", path: transcriptPath(engine, task) }] : []),
    ...(isPlanned ? [{ title: "Schedules", path: `/engines/${engine}/schedules` }] : []),
  ];
}
