import type { SerialLanes } from "../../shared/serial-lanes.ts";
import type { ToolContext } from "../tools/tool.ts";
import type { ElicitationForm, ElicitationResult, ServerLog } from "./connection.ts";
import { elicitForm } from "./elicit-form.ts";

/** Limits of one tool call: forms, and questions over all their fields and repeats. */
const MAX_FORMS = 10;
const MAX_QUESTIONS = 60;

interface Call {
  readonly context: ToolContext;
  forms: number;
  questions: number;
}

/** The elicitations of one server: only during its calls, within limits, one at a time for each turn. */
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

  /** Accepts elicitations until the returned function is called, which also cancels open ones. */
  open(context: ToolContext): () => void {
    const closing = new AbortController();
    const call: Call = {
      context: { ...context, ask: (question) => context.ask({ ...question, signal: closing.signal }) },
      forms: 0,
      questions: 0,
    };
    this.#calls.push(call);
    return () => {
      this.#calls.splice(this.#calls.indexOf(call), 1);
      closing.abort(new Error("the call has ended"));
    };
  }

  /** The protocol does not name the call an elicitation belongs to: the latest one is assumed. */
  async elicit(form: ElicitationForm): Promise<ElicitationResult> {
    const call = this.#calls.at(-1);
    if (call === undefined) return { action: "cancel" };
    call.forms++;
    if (call.forms === MAX_FORMS + 1) this.#log.warn(`more than ${MAX_FORMS} forms in one call`);
    if (call.forms > MAX_FORMS) return { action: "cancel" };
    try {
      return await this.#lanes.run(call.context.turnId, () =>
        elicitForm(this.#server, form, (question) => {
          if (++call.questions > MAX_QUESTIONS) throw new Error(`more than ${MAX_QUESTIONS} questions in one call`);
          return call.context.ask(question);
        }),
      );
    } catch (error) {
      this.#log.debug(`the elicitation failed: ${String(error)}`);
      return { action: "cancel" };
    }
  }
}
