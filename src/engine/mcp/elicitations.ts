import type { SerialLanes } from "../../shared/serial-lanes.ts";
import type { HumanQuestion, ToolContext } from "../tools/tool.ts";
import { visibleText } from "../tools/visible-text.ts";
import type { ElicitationForm, ElicitationResult, ServerLog } from "./connection.ts";
import { type Field, type FieldValue, readField, readFields } from "./form-field.ts";

/** Limits of one tool call: forms, and questions over all their fields and repeats. */
const MAX_FORMS = 10;
const MAX_QUESTIONS = 60;

interface Call {
  readonly context: ToolContext;
  forms: number;
  questions: number;
}

const MAX_TEXT = 2000;
const MAX_FIELDS = 30;
const MAX_ATTEMPTS = 3;

type Ask = (question: HumanQuestion) => Promise<string>;

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

/**
 * Asks for a form field by field, as questions of the turn. `decline` is always an option, `skip` one of optional
 * fields. An invalid answer is asked for again; the third declines the form.
 */
async function elicitForm(server: string, { message, schema }: ElicitationForm, ask: Ask): Promise<ElicitationResult> {
  const fields = readFields(schema);
  const title = visibleText(`The tool server ${server} asks: ${message}`, MAX_TEXT);
  if (fields.length > MAX_FIELDS) return { action: "decline" };
  if (fields.length === 0) {
    const answer = await ask({ question: title, options: ["accept", "decline"], allowFreeText: false });
    return answer === "accept" ? { action: "accept", content: {} } : { action: "decline" };
  }
  const content: Record<string, FieldValue> = {};
  for (const field of fields) {
    const answer = await askField(title, field, ask);
    if (answer === "declined") return { action: "decline" };
    if (answer.value !== undefined) content[field.name] = answer.value;
  }
  return { action: "accept", content };
}

async function askField(
  title: string,
  field: Field,
  ask: Ask,
): Promise<"declined" | { readonly value: FieldValue | undefined }> {
  const options = [...field.options, ...(field.required ? [] : ["skip"]), "decline"];
  let problem = "";
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const question = `${title}\n${visibleText(field.label, MAX_TEXT)}${problem}`;
    const answer = await ask({ question, options, allowFreeText: field.options.length === 0 });
    if (answer === "decline") return "declined";
    if (answer === "skip" && !field.required) return { value: undefined };
    const read = readField(field, answer);
    if (read.kind === "value") return { value: read.value };
    problem = ` (${visibleText(read.problem, 200)})`;
  }
  return "declined";
}
