import type {
  AssistantContent,
  ModelMessage,
  ModelRequest,
  ModelTool,
  ToolOutcome,
} from "../../../../src/engine/model/model-provider.ts";

/** Numbers that depend on nothing but the seed. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 0 to 1. */
  roll(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(count: number): number {
    return Math.floor(this.roll() * count);
  }

  chance(share: number): boolean {
    return this.roll() < share;
  }

  pick<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new Error("nothing to pick from");
    return value;
  }

  list<T>(most: number, make: () => T): T[] {
    return Array.from({ length: this.below(most + 1) }, make);
  }
}

const HIGH = "\ud83d";
const LOW = "\ude00";
const TEXTS = [
  "hello",
  "",
  " ",
  "\n\t",
  "trailing ",
  `half ${HIGH}`,
  `${LOW} other half`,
  "\u0000",
  "😀",
  "x".repeat(300),
];
const NAMES = [
  "read_file",
  "list_files",
  "mcp__a__b",
  "multi_tool_use.parallel",
  "list files!",
  "",
  " ",
  "9lives",
  "-x",
  "_x",
  `a${HIGH}`,
  "n".repeat(90),
  "工具",
  "__proto__",
  "constructor",
  "parallel",
];
const IDS = [
  "call_1",
  "call_2",
  "call_3",
  "functions.read:0",
  "a.b",
  "",
  " ",
  `id${LOW}`,
  "i".repeat(70),
  "abcdefghi",
  "toolu_01",
  "__proto__",
];
const KEYS = [
  "path",
  "filter[status]/$x y",
  "k".repeat(100),
  `key${HIGH}`,
  `key${LOW}`,
  "",
  "__proto__",
  "constructor",
  "$ref",
  "ünï",
  "a.b-c",
];
const SIGNERS = [
  "anthropic",
  "openai",
  "google",
  "amazonBedrock",
  "bedrock",
  "openaiCompatible",
  "openai-compatible",
  "vertex",
];
const FIELDS = [
  "signature",
  "redactedData",
  "redactedContent",
  "itemId",
  "reasoningEncryptedContent",
  "thoughtSignature",
  "caller",
  "type",
  "namespace",
];
const VALUES = [
  "SIGNED==",
  "c2lnbmVk",
  "",
  null,
  7,
  {},
  "not base64 !",
  `broken ${HIGH}`,
  "rs_1",
  "i".repeat(90),
  ["x"],
];

const deep = (levels: number): unknown =>
  levels === 0 ? "deep" : levels % 2 === 0 ? { a: deep(levels - 1) } : [deep(levels - 1)];

function value(dice: Dice, depth = 0): unknown {
  switch (dice.below(depth > 3 ? 5 : 9)) {
    case 0:
      return dice.pick(TEXTS);
    case 1:
      return dice.below(1e9) - 5e8;
    case 2:
      return dice.chance(0.5);
    case 3:
      return null;
    case 4:
      return dice.roll();
    case 5:
      return dice.list(3, () => value(dice, depth + 1));
    case 6:
      return deep(dice.pick([3, 30, 120]));
    default:
      return record(dice, depth + 1);
  }
}

const record = (dice: Dice, depth = 0): Record<string, unknown> =>
  Object.fromEntries(dice.list(3, () => [dice.pick(KEYS), value(dice, depth)]));

/** As each provider signs. */
const sound = (dice: Dice) => ({
  [dice.pick(["anthropic", "amazonBedrock"])]: { signature: "SIGNED==" },
  openai: {
    itemId: dice.pick(["rs_1", "rs_2", "rs_3"]),
    reasoningEncryptedContent: dice.pick([null, "SIGNED==", "SIGNED==", "SIGNED=="]),
  },
  google: { thoughtSignature: "SIGNED==" },
});

function signature(dice: Dice): { signature?: unknown } {
  if (dice.chance(0.2)) return {};
  if (dice.chance(0.1)) return { signature: dice.pick(VALUES) };
  if (dice.chance(0.6)) return { signature: sound(dice) };
  const own = () => Object.fromEntries(dice.list(3, () => [dice.pick(FIELDS), dice.pick(VALUES)]));
  return {
    signature: Object.fromEntries(
      dice.list(3, () => [dice.pick(SIGNERS), dice.chance(0.9) ? own() : dice.pick(VALUES)]),
    ),
  };
}

function part(dice: Dice): AssistantContent {
  switch (dice.below(3)) {
    case 0:
      return { kind: "text", text: dice.pick(TEXTS) };
    case 1:
      return { kind: "thinking", text: dice.pick(TEXTS), ...signature(dice) };
    default:
      return { kind: "tool_use", id: dice.pick(IDS), tool: dice.pick(NAMES), input: record(dice), ...signature(dice) };
  }
}

const outcome = (dice: Dice): ToolOutcome => ({
  id: dice.pick(IDS),
  tool: dice.pick(NAMES),
  output: dice.chance(0.5) ? dice.pick(TEXTS) : value(dice),
  isError: dice.chance(0.3),
});

function message(dice: Dice): ModelMessage {
  switch (dice.below(3)) {
    case 0:
      return { role: "user", text: dice.pick(TEXTS), ...(dice.chance(0.2) && { recalled: dice.pick(TEXTS) }) };
    case 1:
      return { role: "assistant", content: dice.list(5, () => part(dice)) };
    default:
      return { role: "tool", results: dice.list(4, () => outcome(dice)) };
  }
}

/** A history as the engine stores it, and then what a fault could make of it. */
function messages(dice: Dice): ModelMessage[] {
  const history = dice
    .list(12, () => message(dice))
    .flatMap((one): ModelMessage[] => {
      if (one.role !== "assistant" || dice.chance(0.3)) return [one];
      const results = one.content.flatMap((each) =>
        each.kind === "tool_use" && dice.chance(0.8) ? { ...outcome(dice), id: each.id, tool: each.tool } : [],
      );
      return [one, { role: "tool", results: dice.chance(0.5) ? results : results.toReversed() }];
    });
  if (dice.chance(0.2)) history.splice(0, dice.below(history.length + 1));
  return history;
}

const TYPES = ["object", "string", "array", "strng", ["string", "null"], ["array", "object"], [], 7, null, "file"];

function schema(dice: Dice, depth = 0): unknown {
  if (dice.chance(0.1)) return dice.pick<unknown>([true, false, null, 7, "object", []]);
  const inner = () => (depth > 4 ? {} : schema(dice, depth + 1));
  const map = () => Object.fromEntries(dice.list(3, () => [dice.pick(KEYS), inner()]));
  const keywords: readonly (() => Record<string, unknown>)[] = [
    () => ({ type: dice.pick<unknown>(TYPES) }),
    () => ({ properties: dice.chance(0.9) ? map() : value(dice) }),
    () => ({ required: dice.pick<unknown>([["path"], ["path", "path"], true, [7], ["unknown"], KEYS]) }),
    () => ({ [dice.pick(["anyOf", "oneOf", "allOf"])]: dice.chance(0.9) ? dice.list(3, inner) : value(dice) }),
    () => ({ items: dice.chance(0.8) ? inner() : dice.list(2, inner) }),
    () => ({ prefixItems: dice.list(2, inner), patternProperties: map(), not: inner() }),
    () => ({ additionalProperties: inner(), propertyNames: inner(), unevaluatedProperties: false }),
    () => ({ enum: dice.pick<unknown>([[], ["a"], [1, null], "a", [{ a: 1 }]]), const: value(dice) }),
    () => ({ minimum: dice.pick<unknown>([1, "1", null]), exclusiveMinimum: dice.pick<unknown>([true, 0]) }),
    () => ({ minLength: dice.pick<unknown>([1, -1, 1.5]), pattern: dice.pick(["^a", "(", "(?<=a)b", HIGH]) }),
    () => ({ $ref: dice.pick(["#", "#/$defs/a", "#/definitions/b", "#/properties/path", "https://x/y", "#/%zz"]) }),
    () => ({ $defs: { a: inner(), b: inner() }, definitions: { b: inner() } }),
    () => ({ default: value(dice), examples: [value(dice)], title: dice.pick(TEXTS), description: dice.pick(TEXTS) }),
    () => ({ $schema: "http://json-schema.org/draft-04/schema#", id: "x", nullable: true, "x-odd": value(dice) }),
  ];
  return Object.assign({}, ...dice.list(5, () => dice.pick(keywords)()));
}

function tools(dice: Dice): ModelTool[] {
  const named = new Map(dice.list(4, () => [dice.pick(NAMES), dice.pick(TEXTS)] as const));
  return [...named].map(([name, description]) => {
    const made = schema(dice);
    const inputSchema = typeof made === "object" && made !== null && !Array.isArray(made) ? made : {};
    return { name, description, inputSchema: inputSchema as Record<string, unknown> };
  });
}

export const hostileRequest = (dice: Dice, models: readonly string[]): ModelRequest => ({
  model: dice.pick(models),
  system: dice.pick(TEXTS),
  messages: messages(dice),
  tools: dice.chance(0.7) ? tools(dice) : [],
  thinking: dice.chance(0.5),
  maxOutputTokens: dice.pick([1000, 4096, 16_000]),
});
