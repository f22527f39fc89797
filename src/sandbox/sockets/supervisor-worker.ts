/**
 * The code of the thread that supervises the sockets of programs: it receives their `connect`, `bind` and `listen`, and
 * carries out what their rules allow. It is not confined, and waits in the kernel instead of an event loop.
 */
import { readSync } from "node:fs";
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { hasPendingSignal } from "../processes/other-process.ts";
import { type PollEvents, poll } from "../system/poll.ts";
import { closeDescriptor } from "../processes/process-limits.ts";
import { answerCall, receiveCall, stillWaits } from "../seccomp/supervised-calls.ts";
import type { SocketRules } from "./socket-decision.ts";
import { type WaitingConnect, superviseSocketCall } from "./supervised-socket.ts";
import type { ListenerReleased, SupervisorData, SupervisorOrder } from "./supervisor-messages.ts";

const EINTR = 4;
const EAGAIN = 11;
/** More would use up the descriptors of this process. */
const MAX_WAITING = 256;
/** How often it looks whether those that wait were killed or have a signal. */
const LOOK_MS = 100;
/** A process that exits takes back its threads, which leave the kernel by then at the latest. */
const IDLE_MS = 5000;
const WAKE_BYTES = 64;

const { wake } = workerData as SupervisorData;
const port = parentPort as MessagePort;
const listeners = new Map<number, SocketRules>();
const waiting = new Map<WaitingConnect, number>();
/** The next look at all that wait. Each takes 40 µs, which many would cost every other call. */
let nextLook = 0;

try {
  while (step());
} finally {
  for (const [{ socket }] of waiting) closeDescriptor(socket);
}

/** False at the end of the pipe. */
function step(): boolean {
  const connects = [...waiting.keys()];
  const ready = poll(
    [
      { descriptor: wake, events: "read" },
      ...[...listeners.keys()].map((descriptor) => ({ descriptor, events: "read" as const })),
      ...connects.map(({ socket }) => ({ descriptor: socket, events: "write" as const })),
    ],
    connects.length > 0 ? LOOK_MS : IDLE_MS,
  );
  const looksAtAll = performance.now() >= nextLook;
  if (looksAtAll) nextLook = performance.now() + LOOK_MS;
  for (const one of connects) if (looksAtAll || ready.has(one.socket)) look(one, ready.get(one.socket));
  for (const [listener, rules] of listeners) if (ready.has(listener)) serve(listener, rules, ready.get(listener));
  return !ready.has(wake) || takeOrders();
}

function takeOrders(): boolean {
  if (readSync(wake, Buffer.alloc(WAKE_BYTES)) === 0) return false;
  for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
    const order = next.message as SupervisorOrder;
    if (order.kind === "serve") listeners.set(order.listener, order.rules);
    else release(order.listener);
  }
  return true;
}

/** The calls that wait get ENOSYS when the main thread closes the listener. */
function release(listener: number): void {
  listeners.delete(listener);
  for (const [one, of] of waiting) if (of === listener) forget(one);
  // Worker threads have no origin.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  port.postMessage({ released: listener } satisfies ListenerReleased);
}

function serve(listener: number, rules: SocketRules, events: PollEvents | undefined): void {
  // The last program of this filter has ended, and its thread.
  if (events?.isReadable !== true) {
    listeners.delete(listener);
    return;
  }
  const call = receiveCall(listener);
  if (call === null) return;
  const result = superviseSocketCall(call, { listener, rules });
  if (result === null) return;
  if (typeof result === "number") return answerCall(listener, call, result);
  waiting.set(result, listener);
  if (waiting.size > MAX_WAITING) answer(result, EAGAIN);
}

function look(one: WaitingConnect, events: PollEvents | undefined): void {
  const { call, retry } = one;
  const listener = waiting.get(one);
  if (listener === undefined) return;
  if (!stillWaits(listener, call)) return forget(one);
  const errno = events === undefined ? null : retry();
  if (errno !== null) answer(one, errno);
  else if (isInterrupted(call.thread)) answer(one, EINTR);
}

function isInterrupted(thread: number): boolean {
  try {
    return hasPendingSignal(thread);
  } catch {
    // It was killed.
    return false;
  }
}

function answer(one: WaitingConnect, errno: number): void {
  const listener = waiting.get(one);
  if (listener !== undefined) answerCall(listener, one.call, errno);
  forget(one);
}

function forget(one: WaitingConnect): void {
  waiting.delete(one);
  closeDescriptor(one.socket);
}
