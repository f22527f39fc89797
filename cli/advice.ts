/** What to do about some refusals, for a person who reads them; scripts have the code. */
const ADVICE: Readonly<Record<string, string>> = {
  PRODUCT_ALREADY_EXISTS: "products rotate-key makes a new key for a product that is there already",
  ENGINE_ALREADY_EXISTS: "engines admit takes the engine that is there",
  ENGINE_NOT_FOUND: "engines provision makes one",
  ENGINE_NOT_RUNNING: "engines start starts it",
  INVALID_ENGINE_KEY: "engines rotate-key makes a new key",
  INVALID_PLATFORM_KEY: "products rotate-key makes a new key",
  TASK_BUSY: "another turn of this task is running; Ctrl-C there cancels it",
};

export const adviceFor = (code: string | null): string | undefined => (code === null ? undefined : ADVICE[code]);
