import { access } from "node:fs/promises";

/** Whether something is there; an error of another kind (no permission) is thrown. */
export async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
}
