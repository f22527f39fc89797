import type { HumanQuestion } from "../tools/tool.ts";
import { visibleText } from "../tools/visible-text.ts";
import type { ElicitationResult, ElicitationForm } from "./connection.ts";
import { type Field, type FieldValue, readField, readFields } from "./form-field.ts";

const MAX_SHOWN = 2000;
const MAX_FIELDS = 30;
const TRIES = 3;

/**
 * What a server wants to know of a person, field by field, as questions of the turn. `decline` is always an answer and
 * `skip` where the field may be left out; what does not fit a field is asked again, and a third time declines.
 */
export async function elicitForm(
  server: string,
  { message, schema }: ElicitationForm,
  ask: (question: HumanQuestion) => Promise<string>,
): Promise<ElicitationResult> {
  const fields = readFields(schema);
  const title = visibleText(`The tool server ${server} asks: ${message}`, MAX_SHOWN);
  if (fields.length > MAX_FIELDS) return { action: "decline" };
  if (fields.length === 0) {
    const answer = await ask({ question: title, options: ["accept", "decline"], allowFreeText: false });
    return answer === "accept" ? { action: "accept", content: {} } : { action: "decline" };
  }
  const content: Record<string, FieldValue> = {};
  for (const field of fields) {
    const given = await askField(title, field, ask);
    if (given === "declined") return { action: "decline" };
    if (given.value !== undefined) content[field.name] = given.value;
  }
  return { action: "accept", content };
}

async function askField(
  title: string,
  field: Field,
  ask: (question: HumanQuestion) => Promise<string>,
): Promise<"declined" | { readonly value: FieldValue | undefined }> {
  const options = [...field.options, ...(field.required ? [] : ["skip"]), "decline"];
  let complaint = "";
  for (let tries = 0; tries < TRIES; tries++) {
    const question = `${title}\n${visibleText(field.words, MAX_SHOWN)}${complaint}`;
    const answer = await ask({ question, options, allowFreeText: field.options.length === 0 });
    if (answer === "decline") return "declined";
    if (answer === "skip" && !field.required) return { value: undefined };
    const read = readField(field, answer);
    if (read.kind === "value") return { value: read.value };
    complaint = ` (${visibleText(read.problem, 200)})`;
  }
  return "declined";
}
