import type { SerialLanes } from "../../shared/serial-lanes.ts";
import type { ToolContext } from "../tools/tool.ts";
import { elicitForm } from "./elicit-form.ts";
import type { ElicitationResult, ElicitationForm, ServerLog } from "./connection.ts";

/** What a person bears of one call of a tool: so many forms, and of their fields and second tries so many questions. */
const MOST_FORMS = 10;
const MOST_QUESTIONS = 60;

interface Call {
  readonly context: ToolContext;
  forms: number;
  questions: number;
}

/** What one server asks of people: within its calls only, not without end, and one thing at a time. */
export class Elicitations {
  readonly #server: string;
  readonly #log: ServerLog;
  readonly #lanes: SerialLanes;
  readonly #calls: Call[] = [];

  constructor(server: string, { log, lanes }: { readonly log: ServerLog; readonly lanes: SerialLanes }) {
    this.#server = server;
    this.#log = log;
    this.#lanes = lanes;
  }

  /** Until what is returned is called: what the server still wants to know then is of no use to anybody. */
  open(context: ToolContext): () => void {
    const over = new AbortController();
    const call: Call = {
      context: { ...context, ask: (one) => context.ask({ ...one, signal: over.signal }) },
      forms: 0,
      questions: 0,
    };
    this.#calls.push(call);
    return () => {
      this.#calls.splice(this.#calls.indexOf(call), 1);
      over.abort(new Error("the call is over"));
    };
  }

  /** The protocol does not say which call a question belongs to: the one begun last is the likeliest. */
  async ask(form: ElicitationForm): Promise<ElicitationResult> {
    const call = this.#calls.at(-1);
    if (call === undefined) return { action: "cancel" };
    call.forms++;
    if (call.forms === MOST_FORMS + 1) this.#log.warn(`it asks more than ${MOST_FORMS} forms in one call`);
    if (call.forms > MOST_FORMS) return { action: "cancel" };
    try {
      return await this.#lanes.run(call.context.turnId, () =>
        elicitForm(this.#server, form, (one) => {
          if (++call.questions > MOST_QUESTIONS) throw new Error(`more than ${MOST_QUESTIONS} questions in one call`);
          return call.context.ask(one);
        }),
      );
    } catch (error) {
      this.#log.note(`a question came to nothing: ${String(error)}`);
      return { action: "cancel" };
    }
  }
}
