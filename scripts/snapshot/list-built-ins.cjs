// Prints the built-in modules that an engine loads after its restore: at its boot, and at its first call of a model.
const before = new Set(process.moduleLoadList);
for (const name of ["async_hooks", "crypto", "https", "sqlite", "zlib"]) process.getBuiltinModule(`node:${name}`);
process.emitWarning = () => undefined;
// Experimental, and not in every Node.js.
process.getBuiltinModule("node:ffi");
const { AsyncLocalStorage } = process.getBuiltinModule("async_hooks");
new AsyncLocalStorage().getStore();
new Request("http://localhost").clone();
// Listening loads more modules.
const server = process.getBuiltinModule("http").createServer();
server.listen(0, "127.0.0.1", () => {
  server.close();
  const loaded = process.moduleLoadList.filter((name) => !before.has(name));
  const names = loaded.filter((name) => name.startsWith("NativeModule ")).map((name) => name.slice(13));
  process.stdout.write(JSON.stringify(names));
});
