import { DEVICES, ETC, KERNEL, PROGRAMS } from "./system-files.ts";

/** What a Landlock domain may do with files. */
export interface FileRules {
  readonly read: readonly string[];
  readonly write: readonly string[];
}

/** The folders that confined programs share. */
export interface ProgramFolders {
  readonly workspace: string;
  readonly temporary: string;
  /** Of package managers. */
  readonly cache: string;
}

/** A program: its folders, and programs of the system. */
export const programFileRules = (program: FileRules): FileRules => ({
  read: [...PROGRAMS, ...ETC, ...KERNEL, process.execPath, ...program.read],
  write: [...DEVICES, ...program.write],
});
