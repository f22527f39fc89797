import { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { closeDescriptor, openPipe } from "../processes/process-limits.ts";
import type { ProgramStart } from "./program-launcher.ts";

/** The pipes of one program. This thread reads and writes its ends itself; the thread that starts programs relays nothing. */
export interface ProgramPipes {
  /** The program's descriptors from 0 on, as numbers of this process. */
  readonly stdio: readonly ("ignore" | number)[];
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable | null;
  /** Closes the program's ends here, which it has by then or never gets. */
  readonly closeTheirs: () => void;
  /** Closes the ends of this process. */
  readonly dispose: () => void;
}

/** Throws `SystemCallFailed` with nothing left open. */
export function openProgramPipes(streams: ProgramStart["streams"]): ProgramPipes {
  const [output, input, errors, guard] = openPipes(streams === "output" ? 1 : 4);
  const stdout = readEnd(output);
  if (input === undefined || errors === undefined || guard === undefined)
    return {
      stdio: ["ignore", output.write, output.write],
      stdin: null,
      stdout,
      stderr: null,
      closeTheirs: once(() => closeDescriptor(output.write)),
      dispose: () => stdout.destroy(),
    };
  const [stdin, stderr] = [writeEnd(input), readEnd(errors)];
  const theirs = [input.read, output.write, errors.write, guard.read];
  const closeGuard = once(() => closeDescriptor(guard.write));
  return {
    stdio: theirs,
    stdin,
    stdout,
    stderr,
    closeTheirs: once(() => theirs.forEach(closeDescriptor)),
    dispose() {
      for (const stream of [stdin, stdout, stderr]) stream.destroy();
      closeGuard();
    },
  };
}

type Pipe = ReturnType<typeof openPipe>;

function openPipes(count: number): [Pipe, ...Pipe[]] {
  const opened = [openPipe()] as [Pipe, ...Pipe[]];
  try {
    while (opened.length < count) opened.push(openPipe());
    return opened;
  } catch (error) {
    for (const { read, write } of opened) [read, write].forEach(closeDescriptor);
    throw error;
  }
}

/** The exit of the program reports a broken stream. */
const quiet = (socket: Socket): Socket => socket.on("error", () => undefined);
const readEnd = ({ read }: Pipe) => quiet(new Socket({ fd: read, readable: true, writable: false }));
const writeEnd = ({ write }: Pipe) => quiet(new Socket({ fd: write, readable: false, writable: true }));

/** A descriptor closed twice might by then be another's. */
function once(close: () => void): () => void {
  let closed = false;
  return () => {
    if (closed) return;
    closed = true;
    close();
  };
}
