/**
 * Programs that try to use more of the disk than the quota. Each runs in a folder of its own in the workspace until it is
 * ended, and lasts at most a minute.
 */
export interface DiskAttack {
  readonly name: string;
  readonly py: string;
}

const COMMON = `import ctypes, mmap, os, socket, struct, sys, time, fcntl, array
end = time.time() + 60
MB = 1 << 20
libc = ctypes.CDLL(None, use_errno=True)
block = b"x" * MB
def fork(n):
  for i in range(n - 1):
    if os.fork() == 0: return i + 1
  return 0
def attempt(f):
  try: return f()
  except OSError as e: return e
`;

export const DISK_ATTACKS: readonly DiskAttack[] = [
  {
    name: "fallocate many files at once",
    py: `for i in range(40):
  f = os.open("f%d" % i, os.O_RDWR | os.O_CREAT)
  if libc.fallocate(f, 0, ctypes.c_long(0), ctypes.c_long(150 * MB)) == 0: print("ESCAPED")
  attempt(lambda: fcntl.ioctl(f, 0x4030582a, struct.pack("hhiqqiIiiii", 0, 0, 0, 0, 150 * MB, 0, 0, 0, 0, 0, 0)) and print("ESCAPED"))
  if os.fstat(f).st_blocks > 0: print("ESCAPED")
`,
  },
  {
    name: "posix_fallocate many files from eight processes",
    py: `n = fork(8)
for i in range(40):
  attempt(lambda: os.posix_fallocate(os.open("f%d-%d" % (n, i), os.O_RDWR | os.O_CREAT), 0, 150 * MB))
time.sleep(20)
`,
  },
  {
    name: "slow the measure by empty files, then write",
    py: `n = fork(4)
for i in range(2800): os.close(os.open("e%d-%d" % (n, i), os.O_CREAT))
for i in range(60): attempt(lambda: open("f%d-%d" % (n, i), "wb").write(block * 100))
`,
  },
  {
    name: "use up the inodes",
    py: `n = fork(4)
i = 0
while time.time() < end:
  os.close(os.open("e%d-%d" % (n, i), os.O_CREAT)); i += 1
`,
  },
  {
    name: "write below the longest path",
    py: `for i in range(60):
  os.mkdir("x" * 200); os.chdir("x" * 200)
i = 0
while time.time() < end:
  attempt(lambda: open("f%d" % i, "wb").write(block * 50)); i += 1
`,
  },
  {
    name: "write 150 MB in each of eight calls at once",
    py: `big = b"x" * (150 * MB)
n = fork(8)
f = os.open("f%d" % n, os.O_WRONLY | os.O_CREAT)
while time.time() < end: attempt(lambda: os.write(f, big)); f = os.open("g%d-%d" % (n, time.time_ns()), os.O_WRONLY | os.O_CREAT)
`,
  },
  {
    name: "fill holes through mappings of sparse files",
    py: `n = fork(4)
for i in range(40):
  f = os.open("f%d-%d" % (n, i), os.O_RDWR | os.O_CREAT)
  def fill():
    os.ftruncate(f, 150 * MB)
    m = mmap.mmap(f, 150 * MB, flags=mmap.MAP_SHARED | 0x8000)
    for at in range(0, 150 * MB, 4096): m[at] = 1
  attempt(fill)
`,
  },
  {
    name: "write files whose name is not UTF-8",
    py: `i = 0
while time.time() < end:
  attempt(lambda: open(b"\\xff\\xfe%d" % i, "wb").write(block * 50)); i += 1
`,
  },
  {
    name: "keep removed files in the queue of a socket",
    py: `a, b = socket.socketpair()
i = 0
while time.time() < end:
  f = os.open("f", os.O_RDWR | os.O_CREAT); os.unlink("f")
  for k in range(120): attempt(lambda: os.write(f, block))
  attempt(lambda: a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [f]))]))
  os.close(f); i += 1; print(i, flush=True)
`,
  },
  {
    name: "hide files in the queue of a socket after they were measured",
    py: `a, b = socket.socketpair()
for i in range(3):
  f = os.open("f", os.O_RDWR | os.O_CREAT); os.unlink("f")
  for k in range(90): os.write(f, block); time.sleep(0.002)
  time.sleep(1.5)
  a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [f]))])
  os.close(f)
print("ESCAPED")
`,
  },
  {
    name: "keep removed files by a mapping of one page",
    py: `maps = []
while time.time() < end:
  f = os.open("f", os.O_RDWR | os.O_CREAT); os.unlink("f")
  for k in range(120): attempt(lambda: os.write(f, block))
  page = libc.mmap
  page.restype = ctypes.c_void_p
  page(None, ctypes.c_size_t(4096), 3, 1, f, ctypes.c_long(0))
  os.close(f); maps.append(1); print(len(maps), flush=True)
`,
  },
].map(({ name, py }) => ({ name, py: COMMON + py }));
