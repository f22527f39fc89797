import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../../../faults/parts/random.ts";
import { png } from "../../../helpers/sample-files.ts";

/** What the person or the client of a turn does when the turn asks. `about` finds the reply: it is unique in the turn. */
export type Reply =
  | { readonly kind: "question"; readonly about: string; readonly options: readonly string[]; readonly answer: string }
  | { readonly kind: "permission"; readonly about: string; readonly isAllowed: boolean }
  | {
      readonly kind: "client_tool";
      readonly about: string;
      readonly result: { readonly output: unknown } | { readonly error: string };
    };

export interface RandomTurn {
  /** The script for the sandbox model. */
  readonly message: string;
  /** Tools to declare with the message, in the form of `POST /execute`. */
  readonly clientTools: readonly {
    readonly name: string;
    readonly description: string;
    readonly input_schema: { readonly type: "object" };
  }[];
  readonly replies: readonly Reply[];
  /**
   * When the driver cancels the turn: when the text of the last of `texts` has come and the model is silent, or instead of
   * the reply to a request. Null: not at all.
   */
  readonly cancelled: "while_silent" | Reply | null;
  /** The answer's text blocks in order. Of a turn that is cancelled or fails, those that come before. */
  readonly texts: readonly string[];
  readonly thoughts: readonly string[];
  /** The turn's own calls, without those of delegated agents, and whether they succeed. They may end in any order. */
  readonly calls: readonly { readonly tool: string; readonly succeeds: boolean }[];
  /** Null: it completes. */
  readonly error: "CANCELLED" | "LLM_RATE_LIMITED" | "LLM_PROVIDER_ERROR" | null;
}

const PICTURE = "picture.png";

/** The files that random turns read. */
export function prepareWorkspace(dataDir: string): void {
  mkdirSync(join(dataDir, "workspace"), { recursive: true });
  writeFileSync(join(dataDir, "workspace", PICTURE), png(8, 8));
}

export const LOOK_TOOL = {
  name: "look",
  description: "Looks at the page",
  input_schema: { type: "object" },
} as const;

type Draft = { -readonly [Key in "texts" | "thoughts" | "calls" | "replies"]: RandomTurn[Key][number][] } & {
  readonly lines: string[];
};

const WORDS = ["tea", "snow", "Grüße", "日本語", "<b>", "“quote”", "a\\b", "100 %", "👍🏽", "data: x", "{}", "`code`"];
const words = (random: Random): string =>
  Array.from({ length: 1 + random.below(8) }, () => random.pick(WORDS)).join(" ");

type Step = (draft: Draft, random: Random, name: string) => void;

function call(draft: Draft, { tool, input, succeeds }: { tool: string; input: object; succeeds: boolean }): void {
  draft.lines.push(`/tool ${tool} ${JSON.stringify(input)}`);
  draft.calls.push({ tool, succeeds });
}

const say: Step = (draft, random) => {
  const text = words(random);
  draft.lines.push(`/say ${text}`);
  draft.texts.push(text);
};

const ask: Step = (draft, random, name) => {
  const about = `Question ${name}: ${words(random)}?`;
  const options = random.chance(0.5) ? ["this", "that", "neither"] : [];
  const answer = options.length === 0 ? words(random) : random.pick(options);
  draft.replies.push({ kind: "question", about, options, answer });
  draft.lines.push(`/ask ${[about, ...options].join(" | ")}`);
  draft.calls.push({ tool: "ask_human", succeeds: true });
};

const write: Step = (draft, random, name) => {
  const about = `file-${name}.txt`;
  const isAllowed = random.chance(0.7);
  draft.replies.push({ kind: "permission", about, isAllowed });
  call(draft, { tool: "write_file", input: { path: about, content: words(random) }, succeeds: isAllowed });
};

const look: Step = (draft, random, name) => {
  const succeeds = random.chance(0.8);
  const result = succeeds ? { output: { seen: words(random) } } : { error: "nothing is there" };
  draft.replies.push({ kind: "client_tool", about: name, result });
  call(draft, { tool: LOOK_TOOL.name, input: { at: name }, succeeds });
};

const STEPS: readonly Step[] = [
  say,
  say,
  ask,
  write,
  look,
  (draft, random) => {
    const text = words(random);
    draft.lines.push(`/think ${text}`);
    draft.thoughts.push(text);
  },
  (draft, random) => {
    const count = 1 + random.below(60);
    draft.lines.push(`/stream ${count}`);
    draft.texts.push(Array.from({ length: count }, (_, index) => `word${index} `).join(""));
  },
  (draft, random) => draft.lines.push(`/usage ${random.below(9000)} ${random.below(900)} ${random.below(90)}`),
  (draft) => call(draft, { tool: "current_time", input: {}, succeeds: true }),
  (draft) => call(draft, { tool: "list_files", input: {}, succeeds: true }),
  (draft) => call(draft, { tool: "read_file", input: { path: "missing.txt" }, succeeds: false }),
  (draft) => call(draft, { tool: "read_file", input: { path: 3 }, succeeds: false }),
  (draft) => call(draft, { tool: "read_file", input: { path: PICTURE }, succeeds: true }),
  (draft) => call(draft, { tool: "publish_file", input: { path: PICTURE, title: "A picture" }, succeeds: true }),
  (draft) => {
    const task = "/think how\n/tool current_time {}\n/say found";
    call(draft, { tool: "delegate", input: { agent: "researcher", task }, succeeds: true });
  },
];

const FAILURES = [
  { line: "/fail provider", error: "LLM_PROVIDER_ERROR" },
  { line: "/fail rate-limited", error: "LLM_RATE_LIMITED" },
  { line: "/fail mid-stream", error: "LLM_PROVIDER_ERROR", text: "This answer will not " },
] as const;

/** A turn of one to seven random steps, which may fail or be cancelled. Calls without another step in between run in parallel. */
export function randomTurn(random: Random): RandomTurn {
  const draft: Draft = { lines: [], texts: [], thoughts: [], calls: [], replies: [] };
  for (let step = 1 + random.below(6); step > 0; step--) random.pick(STEPS)(draft, random, `${step}`);
  const cancelled = random.chance(0.1) ? cancellation(draft, random) : null;
  const failure = cancelled === null && random.chance(0.1) ? random.pick(FAILURES) : null;
  if (failure !== null) {
    draft.lines.push(failure.line);
    if ("text" in failure) draft.texts.push(failure.text);
  } else if (cancelled === null) say(draft, random, "end");
  const { lines, ...expected } = draft;
  return {
    ...expected,
    message: lines.join("\n"),
    clientTools: lines.some((line) => line.startsWith(`/tool ${LOOK_TOOL.name} `)) ? [LOOK_TOOL] : [],
    cancelled,
    error: cancelled === null ? (failure?.error ?? null) : "CANCELLED",
  };
}

/** Ends a draft by a silent model, or by a request that is not answered. */
function cancellation(draft: Draft, random: Random): RandomTurn["cancelled"] {
  say(draft, random, "last");
  if (random.chance(0.4)) {
    draft.lines.push("/fail silent");
    return "while_silent";
  }
  random.pick([ask, write, look])(draft, random, "unanswered");
  const unanswered = draft.replies.pop();
  const open = draft.calls.pop();
  if (unanswered === undefined || open === undefined) throw new Error("the step asks nothing");
  draft.calls.push({ ...open, succeeds: false });
  return unanswered;
}

/** The reply to a question's text, a permission prompt's text or a client tool's input. Null: the driver cancels. */
export function replyTo(turn: RandomTurn, asked: string): Reply | null {
  const fits = ({ kind, about }: Reply) => {
    if (kind === "question") return asked === about;
    return kind === "permission" ? asked.endsWith(`${about}?`) : asked === JSON.stringify({ at: about });
  };
  if (turn.cancelled !== null && turn.cancelled !== "while_silent" && fits(turn.cancelled)) return null;
  const found = turn.replies.find(fits);
  if (found === undefined) throw new Error(`no reply to ${asked}`);
  return found;
}
