"""Searches for values wherever the user of this process can look, and prints what it found where, as JSON.

Its plan comes from standard input or from the file that its argument names. The values in it are masked, so that the plan
itself is no place where they are. Standard library only.
"""
import array, base64, io, json, os, sys, urllib.parse, zipfile, zlib

MASK = 0x55
PIECE = 4 * 1024 * 1024
PAGE = os.sysconf("SC_PAGE_SIZE")
# Of an entry of pagemap: the page is in memory, or swapped out.
TOUCHED = 3 << 62
DEPTH = 4

plan = json.loads(open(sys.argv[1]).read() if len(sys.argv) > 1 else sys.stdin.read())
values = {name: bytes(byte ^ MASK for byte in bytes.fromhex(masked)) for name, masked in plan["values"].items()}


def plain(value):
    """A value as it is in the memory of a program."""
    yield value
    yield value.decode("utf8").encode("utf-16-le")


def forms(value):
    """And as programs write it."""
    yield from plain(value)
    yield value.hex().encode()
    yield value.hex().upper().encode()
    yield urllib.parse.quote(value, safe="").encode()
    for before in range(3):
        # Within a longer text in base64, the first and last signs depend on the neighbours.
        text = base64.b64encode(b"\0" * before + value).rstrip(b"=")
        inner = text[(0, 2, 3)[before] : len(text) - 1]
        yield inner
        yield inner.replace(b"+", b"-").replace(b"/", b"_")


def needles_by(kind):
    return sorted({(form, name) for name, value in values.items() for form in kind(value) if len(form) >= 8})


needles, in_memory = needles_by(forms), needles_by(plain)
longest = max(len(form) for form, _ in needles)
found, read = {}, {"memory": 0, "files": 0, "processes": 0, "refused": 0}


def search_plain(where, data, wanted):
    for form, name in wanted:
        if form in data:
            found.setdefault(name, set()).add(where)


def search(where, data, depth=0):
    search_plain(where, data, needles)
    if depth == DEPTH:
        return
    at = data.find(b"\x1f\x8b\x08")
    while at >= 0:
        unpacked = inflate(data[at:])
        if unpacked:
            search(where, unpacked, depth + 1)
        at = data.find(b"\x1f\x8b\x08", at + 1)
    if data[:4] == b"PK\x03\x04":
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                for member in archive.namelist():
                    search(where, archive.read(member), depth + 1)
        except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError):
            pass


def inflate(data):
    """What of a compressed stream can be read."""
    stream = zlib.decompressobj(wbits=31)
    try:
        return stream.decompress(data, 256 * 1024 * 1024)
    except zlib.error:
        return b""


def regions(pid):
    """The mappings of a process that may have anything: not those without a page, and not a program as its file has it."""
    with open(f"/proc/{pid}/smaps") as maps:
        region, sizes = None, {}
        for line in [*maps, "VmFlags:"]:
            name, *rest = line.split()
            if name == "VmFlags:" and region:
                place, rights, inode = region
                is_file = inode != "0" and "w" not in rights and not sizes["Private_Dirty:"] + sizes["Shared_Dirty:"]
                if rights[0] == "r" and sizes["Rss:"] + sizes["Swap:"] > 0 and not is_file:
                    yield tuple(int(part, 16) for part in place.split("-"))
                region = None
            elif not name.endswith(":"):
                region, sizes = (name, rest[0], rest[3]), {}
            elif rest and rest[0].isdigit():
                sizes[name] = int(rest[0])


def touched(pagemap, start, end):
    """The runs of pages of a mapping that exist."""
    pagemap.seek(start // PAGE * 8)
    pages = array.array("Q", pagemap.read((end - start) // PAGE * 8))
    begin = None
    for at, page in enumerate([*pages, 0]):
        if page & TOUCHED and begin is None:
            begin = at
        elif not page & TOUCHED and begin is not None:
            yield start + begin * PAGE, start + at * PAGE
            begin = None


def search_memory(pid):
    with open(f"/proc/{pid}/mem", "rb", 0) as memory, open(f"/proc/{pid}/pagemap", "rb", 0) as pagemap:
        read["processes"] += 1
        for mapping in regions(pid):
            for start, end in touched(pagemap, *mapping):
                for at in range(start, end, PIECE):
                    try:
                        memory.seek(at)
                        data = memory.read(min(PIECE + longest, end - at))
                    except (OSError, ValueError):
                        continue
                    read["memory"] += len(data)
                    search_plain(f"memory of {label(pid)}", data, in_memory)


def label(pid):
    return plan.get("processes", {}).get(str(pid), "another process")


def search_file(path, where):
    try:
        if not os.path.isfile(path):
            return
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        read["refused"] += 1
        return
    read["files"] += 1
    search(where, data)


def search_process(pid):
    for name in ("environ", "cmdline"):
        search_file(f"/proc/{pid}/{name}", f"{name} of {label(pid)}")
    try:
        for descriptor in os.listdir(f"/proc/{pid}/fd"):
            search_file(f"/proc/{pid}/fd/{descriptor}", f"an open file of {label(pid)}")
    except OSError:
        read["refused"] += 1
    try:
        search_memory(pid)
    except OSError:
        read["refused"] += 1


try:
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
except OSError:
    pids = [int(pid) for pid in plan.get("processes", {})]
for pid in pids:
    if pid != os.getpid() and (plan.get("all_processes") or str(pid) in plan.get("processes", {})):
        search_process(pid)
for folder in plan.get("folders", []):
    for place, folders, names in os.walk(folder, onerror=lambda _: read.__setitem__("refused", read["refused"] + 1)):
        for name in names:
            path = os.path.join(place, name)
            search_plain(f"name of {path}", name.encode("utf8", "surrogateescape"), needles)
            search_file(path, path)
for name, value in os.environ.items():
    search_plain("environment of the searcher", value.encode("utf8", "surrogateescape"), needles)
print(json.dumps({"found": {name: sorted(places) for name, places in found.items()}, "read": read}))
