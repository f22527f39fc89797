import type { EngineEventData, StoredEvent } from "../../../contract/engine/events.ts";
import { isRecord } from "../../../shared/json-values.ts";
import { OWN_STATE } from "./run-context.ts";

/** What the engine adds to the application's state: what the turn has noted, changed and used. */
interface OwnState {
  readonly task_id: string;
  readonly turn_id: string;
  readonly notes: Pick<EngineEventData["working_memory_update"], "entry_type" | "content">[];
  readonly files: Record<string, EngineEventData["file_changed"]["change"]>;
  usage: EngineEventData["usage"] | null;
}

type Patch = { readonly op: "add" | "replace"; readonly path: string; readonly value: unknown };

/** A name that clients refuse in a patch, for it would change what all their objects inherit. */
const REFUSED_NAME = "__proto__";

/** The state of a run. The application's part stays as it is. */
export class RunState {
  readonly #given: Readonly<Record<string, unknown>> | null;
  #own: OwnState | null = null;

  /** A state that is no object has no room for the engine's part, and gets none. */
  constructor(given: unknown) {
    this.#given = given === undefined || given === null ? {} : isRecord(given) ? given : null;
  }

  /** What an event changes. Null: nothing. */
  apply({ event, data }: StoredEvent): Patch | null {
    if (this.#given === null) return null;
    this.#own ??= { task_id: data.task_id, turn_id: data.turn_id, notes: [], files: {}, usage: null };
    switch (event) {
      case "usage": {
        const { input_tokens, output_tokens, cache_hit_tokens } = data;
        this.#own.usage = { input_tokens, output_tokens, cache_hit_tokens };
        return { op: "replace", path: `/${OWN_STATE}/usage`, value: this.#own.usage };
      }
      case "working_memory_update": {
        const note = { entry_type: data.entry_type, content: data.content };
        this.#own.notes.push(note);
        return { op: "add", path: `/${OWN_STATE}/notes/-`, value: note };
      }
      case "file_changed": {
        if (data.path === REFUSED_NAME) return null;
        this.#own.files[data.path] = data.change;
        const name = data.path.replaceAll("~", "~0").replaceAll("/", "~1");
        return { op: "add", path: `/${OWN_STATE}/files/${name}`, value: data.change };
      }
      default:
        return null;
    }
  }

  /** Whether there is a state to show, or no room for it. */
  get hasBegun(): boolean {
    return this.#own !== null || this.#given === null;
  }

  /** The whole state. Null before the first event, and without room. */
  get snapshot(): object | null {
    return this.#own === null ? null : { ...this.#given, [OWN_STATE]: this.#own };
  }
}
