/** What goes wrong now, by chance. The plan of a run sets it, and its end clears it. */
export interface Faults {
  /** The share of statements whose answer is lost with the connection, after they took effect. */
  lostAnswers: number;
  /** The next statement loses its answer so. */
  losesNextAnswer: boolean;
  /** How late the next change of an engine arrives. */
  lateChangeMs: number;
  /** How late the answer of the next statement arrives. */
  lateAnswerMs: number;
  /** The share of statements that arrive seconds late. */
  lateStatements: number;
  /** The share of choices of a free user id that another session makes at the same moment. */
  races: number;
  /** The share of boots that crash, hang or take long. */
  badBoots: number;
  /** The share of launches that start no process. */
  failedLaunches: number;
  /** The share of looks at a process that cannot tell. */
  unknownProcesses: number;
  /** The share of engines that do not obey SIGTERM. */
  deafEngines: number;
  isDiskFull: boolean;
  isMemoryFull: boolean;
}

export const noFaults = (): Faults => ({
  lostAnswers: 0,
  losesNextAnswer: false,
  lateChangeMs: 0,
  lateAnswerMs: 0,
  lateStatements: 0,
  races: 0,
  badBoots: 0,
  failedLaunches: 0,
  unknownProcesses: 0,
  deafEngines: 0,
  isDiskFull: false,
  isMemoryFull: false,
});
