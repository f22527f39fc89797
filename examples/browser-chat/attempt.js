const problem = document.getElementById("problem");

/** What a call returns. A failed one is shown, and returns nothing. */
export async function attempt(call) {
  try {
    return await call();
  } catch (error) {
    if (error.name !== "AbortError") problem.textContent = error.message;
    return undefined;
  }
}

/** Runs a call without waiting for its end. */
export function inBackground(call) {
  attempt(call).catch(reportError);
}

export const forgetProblem = () => (problem.textContent = "");
