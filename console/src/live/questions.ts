import type { OrchdError, QuestionRecord } from "@orchd/client";
import { computed, signal } from "@preact/signals";
import { asProblem } from "../parts/problem.ts";
import { storeQuestionCounts } from "./fleet.ts";
import { admin, productCalls } from "../session/clients.ts";

/** The most questions that are shown, of all users. Answered ones make place for others. */
export const QUESTIONS_SHOWN = 200;
/** How often they are read while the page is visible. Only engines know when they ask. */
const REFRESH_MS = 5000;

/** The open questions, the oldest first; null until they were read. */
export const questions = signal<readonly QuestionRecord[] | null>(null);
export const questionsProblem = signal<OrchdError | null>(null);
/** For the navigation; empty without one. */
export const questionCount = computed(() => {
  const count = questions.value?.length ?? 0;
  return count === 0 ? "" : count < QUESTIONS_SHOWN ? String(count) : `${QUESTIONS_SHOWN}+`;
});

/** Those that were answered here, until a list no longer has them. */
const answered = new Set<string>();

export async function loadQuestions(signal?: AbortSignal): Promise<void> {
  try {
    const found: QuestionRecord[] = [];
    for await (const question of admin.listQuestions({ pageSize: QUESTIONS_SHOWN, signal })) {
      found.push(question);
      if (found.length === QUESTIONS_SHOWN) break;
    }
    const listed = new Set(found.map(({ request_id: id }) => id));
    for (const id of answered) if (!listed.has(id)) answered.delete(id);
    show(found.filter(({ request_id: id }) => !answered.has(id)));
    questionsProblem.value = null;
  } catch (error) {
    if (signal?.aborted !== true) questionsProblem.value = asProblem(error);
  }
}

/** Answers a question. It is no longer shown when this resolves. */
export async function answerQuestion(question: QuestionRecord, answer: string): Promise<void> {
  const { product_id: product, user_id: user, request_id: id } = question;
  await productCalls(product).answerQuestion(user, id, { answer });
  answered.add(id);
  if (questions.value !== null) show(questions.value.filter((one) => one.request_id !== id));
}

function show(shown: readonly QuestionRecord[]): void {
  questions.value = shown;
  // A list that was cut says nothing of the others.
  if (shown.length >= QUESTIONS_SHOWN) return;
  const byEngine = Map.groupBy(shown, ({ engine_id: id }) => id);
  storeQuestionCounts(new Map([...byEngine].map(([id, { length }]) => [id, length])));
}

/** Keeps the list current until the signal ends. One read runs at a time. */
export async function followQuestions(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    if (document.visibilityState === "visible") await loadQuestions(signal);
    await new Promise((resolve) => setTimeout(resolve, REFRESH_MS));
  }
}
