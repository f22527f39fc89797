import { setNoNewPrivileges } from "../processes/process-limits.ts";
import { SYSTEM_CALLS, type SystemCallName } from "../system/system-call-numbers.ts";
import { SystemCallFailed, addressOf, byProcessor, nativeProblem, systemCall } from "../system/system-calls.ts";

/** Compares the low 32 bits of one argument of a system call. */
interface ArgumentTest {
  readonly argument: 0 | 1 | 2 | 3 | 4 | 5;
  /** Applied to the argument first. Default: all bits. */
  readonly mask?: number;
  readonly equals: readonly number[];
}

/**
 * What happens to some system calls: always refused, refused when all tests of one alternative hold, or refused unless
 * all tests of one alternative hold.
 */
interface RefusalRule {
  readonly calls: readonly SystemCallName[];
  readonly refuse: "always" | { readonly when: Alternatives } | { readonly unless: Alternatives };
  /** The errno that the program gets. Default: EPERM. */
  readonly errno?: number;
}
/**
 * The supervisor of the filter answers these calls (seccomp_unotify(2)): all, or those for which all tests of one
 * alternative hold. Later rules decide the others.
 */
interface SupervisionRule {
  readonly calls: readonly SystemCallName[];
  readonly supervise: "always" | { readonly when: Alternatives };
}
export type FilterRule = RefusalRule | SupervisionRule;
type Alternatives = readonly (readonly ArgumentTest[])[];

/** Holds when the argument has the flag. */
export const flagged = (argument: ArgumentTest["argument"], flag: number): readonly ArgumentTest[] => [
  { argument, mask: flag, equals: [flag] },
];

const EPERM = 1;
const EINVAL = 22;
const EOPNOTSUPP = 95;

const SECCOMP_SET_MODE_FILTER = 1;
const SECCOMP_GET_ACTION_AVAIL = 2;
const FLAG_NEW_LISTENER = 8;
/** Only a fatal signal interrupts a call that the supervisor has received (Linux 5.19). */
const FLAG_WAIT_KILLABLE = 32;
const ALLOW = 0x7fff_0000;
const USER_NOTIF = 0x7fc0_0000;
const ERRNO = 0x0005_0000;
const KILL_PROCESS = 0x8000_0000;

/** `struct seccomp_data` */
const NUMBER_OFFSET = 0;
const ARCHITECTURE_OFFSET = 4;
const ARGUMENTS_OFFSET = 16;

/** Classic BPF: `linux/filter.h` */
const LOAD = 0x20;
const AND = 0x54;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const JUMP = 0x05;
const RETURN = 0x06;

/** `struct sock_fprog` and `struct sock_filter` */
const HEADER_BYTES = 16;
const INSTRUCTION_BYTES = 8;

interface Instruction {
  readonly code: number;
  readonly value: number;
  /** Instructions to skip when the jump's condition holds, or does not. */
  readonly ifTrue?: number;
  readonly ifFalse?: number;
}

const seccomp = (operation: number, flags: number, argument: Buffer): number =>
  systemCall("seccomp", byProcessor(SYSTEM_CALLS.seccomp), operation, flags, argument);

/** Why no filter can be applied here; null when one can. */
export function seccompProblem(): string | null {
  return nativeProblem() ?? actionProblem(ERRNO, "the kernel has no seccomp filters");
}

/** Why no filter can have a supervisor; null when one can. */
export const supervisionProblem = (): string | null =>
  seccompProblem() ?? actionProblem(USER_NOTIF, "the kernel has no seccomp user notification");

function actionProblem(action: number, unknown: string): string | null {
  const argument = Buffer.alloc(4);
  argument.writeUInt32LE(action);
  try {
    seccomp(SECCOMP_GET_ACTION_AVAIL, 0, argument);
    return null;
  } catch (error) {
    if (!(error instanceof SystemCallFailed)) throw error;
    if (error.errno === EOPNOTSUPP) return unknown;
    return `seccomp is refused here (errno ${error.errno}), perhaps by a container's seccomp profile`;
  }
}

/**
 * Applies a filter permanently to the calling thread and the programs it starts. Throws `SystemCallFailed`. Returns the
 * descriptor from which a supervisor receives calls; null when no rule has one. EBUSY: there is one already, for a
 * program has one at most.
 */
export function installSeccompFilter(rules: readonly FilterRule[]): number | null {
  const program = encode(filterProgram(rules));
  setNoNewPrivileges();
  if (rules.some((rule) => "supervise" in rule)) return installSupervised(program);
  seccomp(SECCOMP_SET_MODE_FILTER, 0, program);
  return null;
}

function installSupervised(program: Buffer): number {
  try {
    return seccomp(SECCOMP_SET_MODE_FILTER, FLAG_NEW_LISTENER | FLAG_WAIT_KILLABLE, program);
  } catch (error) {
    if (!(error instanceof SystemCallFailed && error.errno === EINVAL)) throw error;
    return seccomp(SECCOMP_SET_MODE_FILTER, FLAG_NEW_LISTENER, program);
  }
}

/** A program of the kernel's BPF machine. A program of another processor, such as a 32-bit one, is killed. */
function filterProgram(rules: readonly FilterRule[]): readonly Instruction[] {
  const architecture = byProcessor({ x64: 0xc000_003e, arm64: 0xc000_00b7 });
  return [
    { code: LOAD, value: ARCHITECTURE_OFFSET },
    { code: JUMP_IF_EQUAL, value: architecture, ifTrue: 1 },
    { code: RETURN, value: KILL_PROCESS },
    { code: LOAD, value: NUMBER_OFFSET },
    // The x32 numbers of x64, which would pass every comparison below.
    { code: JUMP_IF_AT_LEAST, value: 0x4000_0000, ifFalse: 1 },
    { code: RETURN, value: ERRNO | EPERM },
    ...rules.flatMap(ruleInstructions),
    { code: RETURN, value: ALLOW },
  ];
}

/** One block per system call. It returns, or continues with the call's number still loaded. */
function ruleInstructions(rule: FilterRule): readonly Instruction[] {
  const numbers = rule.calls.map((name) => byProcessor(SYSTEM_CALLS[name])).filter((number) => number !== null);
  const block = ruleBlock(rule);
  return numbers.flatMap((value) => {
    // A conditional jump reaches 255 instructions.
    return [{ code: JUMP_IF_EQUAL, value, ifTrue: 1 }, { code: JUMP, value: block.length }, ...block];
  });
}

function ruleBlock(rule: FilterRule): readonly Instruction[] {
  if ("supervise" in rule) return supervision(rule.supervise);
  const refused = ERRNO | (rule.errno ?? EPERM);
  return rule.refuse === "always" ? [{ code: RETURN, value: refused }] : decision(rule.refuse, refused);
}

function supervision(supervise: SupervisionRule["supervise"]): readonly Instruction[] {
  if (supervise === "always") return [{ code: RETURN, value: USER_NOTIF }];
  return [...returning(supervise.when, USER_NOTIF), { code: LOAD, value: NUMBER_OFFSET }];
}

function decision(refuse: Exclude<RefusalRule["refuse"], "always">, refused: number): readonly Instruction[] {
  const [alternatives, hit, miss] = "when" in refuse ? [refuse.when, refused, ALLOW] : [refuse.unless, ALLOW, refused];
  return [...returning(alternatives, hit), { code: RETURN, value: miss }];
}

/** Returns `value` when one of the alternatives holds. */
const returning = (alternatives: Alternatives, value: number): readonly Instruction[] =>
  alternatives.flatMap((tests) => [...allHold(tests), { code: RETURN, value }]);

/** Skips the following `RETURN` when one test does not hold. */
function allHold(tests: readonly ArgumentTest[]): readonly Instruction[] {
  const blocks: (readonly Instruction[])[] = [];
  let following = 1;
  for (const test of tests.toReversed()) {
    const block = holds(test, following);
    blocks.unshift(block);
    following += block.length;
  }
  return blocks.flat();
}

function holds({ argument, mask, equals }: ArgumentTest, following: number): readonly Instruction[] {
  const comparisons = equals.map((value, index) => {
    const left = equals.length - 1 - index;
    return { code: JUMP_IF_EQUAL, value: value >>> 0, ifTrue: left, ifFalse: left === 0 ? following : 0 };
  });
  return [
    { code: LOAD, value: ARGUMENTS_OFFSET + 8 * argument },
    ...(mask === undefined ? [] : [{ code: AND, value: mask >>> 0 }]),
    ...comparisons,
  ];
}

/** `struct sock_fprog`, and behind it `struct sock_filter` for each instruction. */
function encode(instructions: readonly Instruction[]): Buffer {
  const program = Buffer.alloc(HEADER_BYTES + instructions.length * INSTRUCTION_BYTES);
  program.writeUInt16LE(instructions.length, 0);
  program.writeBigUInt64LE(addressOf(program) + BigInt(HEADER_BYTES), 8);
  for (const [index, { code, value, ifTrue = 0, ifFalse = 0 }] of instructions.entries()) {
    const at = HEADER_BYTES + index * INSTRUCTION_BYTES;
    program.writeUInt16LE(code, at);
    program.writeUInt8(ifTrue, at + 2);
    program.writeUInt8(ifFalse, at + 3);
    program.writeUInt32LE(value >>> 0, at + 4);
  }
  return program;
}
