/** What the sandbox writes to. A logger of pino fits. */
export interface Logger {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

/** What messages for programs and their users call the parts of the sandbox. */
export interface Words {
  /** All programs together: they "may use 512 MB". */
  readonly programs: string;
  /** The reason why a closed launcher or network does nothing more. */
  readonly closed: string;
  /** The proxy of the programs. */
  readonly proxy: string;
  /** A refusal of the proxy because of too many connections. */
  readonly busy: string;
  /** The rules of hosts: "does not list it". */
  readonly connect: string;
  /** Those that narrow them for one program. */
  readonly narrowed: string;
  /** The HTTP reason of a refused host, which programs show that hide the body. */
  readonly forbidden: string;
  /** Of the proxy's password. */
  readonly realm: string;
}

/** What the user of the sandbox gives to its parts. */
export interface Host {
  readonly logger: Logger;
  readonly words: Words;
  /** Owns work that nobody awaits, and reports its failure with this name. */
  readonly inBackground: (work: string, running: Promise<unknown>) => void;
}

/** Logs nothing. Failed work in the background is an unhandled rejection. */
export const DEFAULT_HOST: Host = {
  logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
  words: {
    programs: "confined programs",
    closed: "the sandbox is closed",
    proxy: "the proxy of confined programs",
    busy: "the confined programs have too many connections open",
    connect: "the rule connect",
    narrowed: "the rule connect of this program",
    forbidden: "Forbidden by the rule connect",
    realm: "confined programs",
  },
  inBackground(work, running) {
    running.catch((cause: unknown) => {
      throw new Error(`failed: ${work}`, { cause });
    });
  },
};
