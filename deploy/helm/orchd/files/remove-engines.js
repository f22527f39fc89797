// Deletes the engines' pods of a deployment after its daemons, its catalogs, and on request the volume claims.
const {
  KUBERNETES_SERVICE_HOST: host,
  KUBERNETES_SERVICE_PORT: port,
  NAMESPACE,
  DAEMONS,
  DAEMON_NAMESPACE,
} = process.env;
const { DEPLOYMENT, DELETE_DATA } = process.env;
const token = fs.readFileSync("/var/run/secrets/kubernetes.io/serviceaccount/token", "utf8").trim();
const server = `https://${host.includes(":") ? `[${host}]` : host}:${port}`;

async function call(method, path, labels) {
  const response = await fetch(`${server}${path}?${new URLSearchParams({ labelSelector: labels })}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(30_000),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

const pods = (namespace) => `/api/v1/namespaces/${namespace}/pods`;

async function gone(namespace, labels) {
  for (;;) {
    const { items } = await call("GET", pods(namespace), labels);
    if (items.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

async function main() {
  await gone(DAEMON_NAMESPACE, DAEMONS);
  const engines = `orchd.deployment=${DEPLOYMENT}`;
  await call("DELETE", pods(NAMESPACE), engines);
  await gone(NAMESPACE, engines);
  // The cluster deletes the catalogs' archives with them. Another installation creates them from its database.
  await call("DELETE", `/api/v1/namespaces/${NAMESPACE}/configmaps`, engines);
  if (DELETE_DATA === "true") await call("DELETE", `/api/v1/namespaces/${NAMESPACE}/persistentvolumeclaims`, engines);
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});
