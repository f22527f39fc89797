import type { Expression } from "./syntax.ts";
import type { TokenReader } from "./tokens.ts";

/** By precedence, the loosest first. */
export function parseExpression(reader: TokenReader): Expression {
  let left = parseAnd(reader);
  while (reader.accept("or")) left = { kind: "operator", name: "or", left, right: parseAnd(reader) };
  return left;
}

function parseAnd(reader: TokenReader): Expression {
  let left = parseNot(reader);
  while (reader.accept("and")) left = { kind: "operator", name: "and", left, right: parseNot(reader) };
  return left;
}

const parseNot = (reader: TokenReader): Expression =>
  reader.sees("not") && !reader.sees("not", "exists")
    ? (reader.next(), { kind: "not", of: parseNot(reader) })
    : parseComparison(reader);

const COMPARISONS = ["=", "<>", "!=", "<=", ">=", "<", ">"];

function parseComparison(reader: TokenReader): Expression {
  let left = parseSum(reader);
  for (;;) {
    if (reader.accept("is", "not", "null")) left = { kind: "is_null", of: left, isNegated: true };
    else if (reader.accept("is", "null")) left = { kind: "is_null", of: left, isNegated: false };
    else if (reader.accept("is", "distinct", "from"))
      left = { kind: "operator", name: "is distinct from", left, right: parseSum(reader) };
    else if (reader.accept("not", "in")) left = parseIn(reader, left, true);
    else if (reader.accept("in")) left = parseIn(reader, left, false);
    else if (reader.accept("between")) left = parseBetween(reader, left);
    else {
      const name = COMPARISONS.find((one) => reader.sees(one));
      if (name === undefined) return left;
      reader.next();
      left = parseCompared(reader, name, left);
    }
  }
}

function parseCompared(reader: TokenReader, name: string, left: Expression): Expression {
  if (!reader.accept("any", "(")) return { kind: "operator", name, left, right: parseSum(reader) };
  const list = parseExpression(reader);
  reader.expect(")");
  return { kind: "any", of: left, list };
}

function parseIn(reader: TokenReader, of: Expression, isNegated: boolean): Expression {
  reader.expect("(");
  if (reader.sees("select")) {
    const query = reader.parseQuery(reader);
    reader.expect(")");
    return { kind: "in_query", of, query, isNegated };
  }
  return { kind: "in", of, list: parseList(reader), isNegated };
}

function parseBetween(reader: TokenReader, of: Expression): Expression {
  const low = parseSum(reader);
  reader.expect("and");
  return {
    kind: "operator",
    name: "and",
    left: { kind: "operator", name: ">=", left: of, right: low },
    right: { kind: "operator", name: "<=", left: of, right: parseSum(reader) },
  };
}

/** Up to the closing bracket. */
function parseList(reader: TokenReader): readonly Expression[] {
  const list: Expression[] = [];
  if (reader.accept(")")) return list;
  do list.push(parseExpression(reader));
  while (reader.accept(","));
  reader.expect(")");
  return list;
}

const SUMS = ["+", "-", "||", "->>", "->"];

function parseSum(reader: TokenReader): Expression {
  let left = parsePostfix(reader);
  for (;;) {
    const name = SUMS.find((one) => reader.sees(one));
    if (name === undefined) return left;
    reader.next();
    left = { kind: "operator", name, left, right: parsePostfix(reader) };
  }
}

function parsePostfix(reader: TokenReader): Expression {
  let of = parsePrimary(reader);
  while (reader.accept("::")) {
    let type = reader.name();
    while (reader.accept("[", "]")) type += "[]";
    of = { kind: "cast", of, type };
  }
  return of;
}

function parsePrimary(reader: TokenReader): Expression {
  const token = reader.next();
  if (token.kind === "number") return { kind: "literal", value: Number(token.value) };
  if (token.kind === "text") return { kind: "literal", value: token.value };
  if (token.kind === "parameter") return { kind: "parameter", at: Number(token.value) - 1 };
  if (token.kind === "symbol" && token.value === "-") return { kind: "minus", of: parsePostfix(reader) };
  if (token.kind === "symbol" && token.value === "(") return parseBracket(reader);
  if (token.kind === "word") {
    const word = parseWord(reader, token.value);
    if (word !== null) return word;
  } else if (token.kind !== "quoted") reader.fail("an expression");
  return parseName(reader, token.value, token.kind === "word");
}

function parseBracket(reader: TokenReader): Expression {
  if (reader.sees("select")) {
    const query = reader.parseQuery(reader);
    reader.expect(")");
    return { kind: "query", query };
  }
  const items = parseList(reader);
  const [only] = items;
  return items.length === 1 && only !== undefined ? only : { kind: "row", items };
}

/** Null for a name. */
function parseWord(reader: TokenReader, word: string): Expression | null {
  switch (word) {
    case "null":
      return { kind: "literal", value: null };
    case "true":
    case "false":
      return { kind: "literal", value: word === "true" };
    case "case":
      return parseCase(reader);
    case "not":
    case "exists": {
      if (word === "not") reader.expect("exists");
      reader.expect("(");
      const exists: Expression = { kind: "exists", query: reader.parseQuery(reader) };
      reader.expect(")");
      return word === "not" ? { kind: "not", of: exists } : exists;
    }
    default:
      return null;
  }
}

function parseCase(reader: TokenReader): Expression {
  const branches: (readonly [Expression, Expression])[] = [];
  while (reader.accept("when")) {
    const condition = parseExpression(reader);
    reader.expect("then");
    branches.push([condition, parseExpression(reader)]);
  }
  const otherwise = reader.accept("else") ? parseExpression(reader) : null;
  reader.expect("end");
  return { kind: "case", branches, otherwise };
}

function parseName(reader: TokenReader, first: string, mayCall: boolean): Expression {
  if (mayCall && reader.accept("(")) return parseCall(reader, first);
  if (!reader.accept(".")) return { kind: "column", table: null, name: first };
  return { kind: "column", table: first, name: reader.name() };
}

function parseCall(reader: TokenReader, name: string): Expression {
  if (name === "extract") {
    reader.expect("epoch", "from");
    return { kind: "call", name: "extract_epoch", args: parseList(reader), isStar: false, filter: null };
  }
  const isStar = reader.accept("*");
  if (reader.sees("secs", "=") || reader.sees("days", "=")) reader.next();
  // `make_interval(secs => …)`
  const isNamed = reader.accept("=", ">");
  if (isNamed && name !== "make_interval") reader.fail("make_interval");
  const args = parseList(reader);
  let filter: Expression | null = null;
  if (reader.accept("filter", "(")) {
    reader.expect("where");
    filter = parseExpression(reader);
    reader.expect(")");
  }
  return { kind: "call", name, args, isStar, filter };
}
