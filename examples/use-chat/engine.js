const agentUrl = document.querySelector("meta[name=agent-url]").content;

/** The user's engine, below the address of the daemon. */
export const engineUrl = `${agentUrl}/me`;

/** The address of a file's link, which is a path of the daemon. */
export const fileUrl = (link) => new URL(link, agentUrl).href;

let token = null;

/** The header of each call: a token of this user, which the backend creates, and a new one before it expires. */
export async function authorization() {
  token ??= fetch("/token", { method: "POST" }).then((response) => {
    if (!response.ok) throw new Error("sign in first: open /?user=<name>");
    return response.json();
  });
  const asked = token;
  const given = await asked.catch((error) => {
    token = null;
    throw error;
  });
  if (Date.parse(given.expires_at) - Date.now() > 60_000) return { Authorization: `Bearer ${given.token}` };
  if (token === asked) token = null;
  return authorization();
}

/** A call of the engine beside those of `useChat`. */
export async function call(path, method = "GET") {
  const response = await fetch(`${engineUrl}${path}`, { method, headers: await authorization() });
  const body = await response.json();
  if (!response.ok) throw new Error(body.message);
  return body;
}
