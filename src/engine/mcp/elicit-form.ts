import type { HumanQuestion } from "../tools/tool.ts";
import { visibleText } from "../tools/visible-text.ts";
import type { ElicitationForm, ElicitationResult } from "./connection.ts";
import { type Field, type FieldValue, readField, readFields } from "./form-field.ts";

const MAX_TEXT = 2000;
const MAX_FIELDS = 30;
const MAX_ATTEMPTS = 3;

type Ask = (question: HumanQuestion) => Promise<string>;

/**
 * Asks for a form field by field, as questions of the turn. `decline` is always an option, `skip` one of optional
 * fields. An invalid answer is asked for again; the third declines the form.
 */
export async function elicitForm(
  server: string,
  { message, schema }: ElicitationForm,
  ask: Ask,
): Promise<ElicitationResult> {
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
