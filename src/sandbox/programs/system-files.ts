/** Programs and libraries of the system. */
export const PROGRAMS = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/nix/store"];

/** Files and folders of `/etc` that programs need. The others may hold secrets that are readable here. */
export const ETC = [
  "alternatives",
  "bash.bashrc",
  "ca-certificates",
  "ca-certificates.conf",
  "crypto-policies",
  "debian_version",
  "fonts",
  "gai.conf",
  "gitconfig",
  "group",
  "host.conf",
  "hostname",
  "hosts",
  "inputrc",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "locale.alias",
  "locale.conf",
  "localtime",
  "lsb-release",
  "magic",
  "mime.types",
  "nsswitch.conf",
  "npmrc",
  "os-release",
  "passwd",
  "perl",
  "pip.conf",
  "pki/ca-trust",
  "pki/tls/certs",
  "pki/tls/cert.pem",
  "pki/tls/openssl.cnf",
  "profile",
  "profile.d",
  "protocols",
  "python3",
  "redhat-release",
  "resolv.conf",
  "services",
  "shells",
  "ssl/certs",
  "ssl/cert.pem",
  "ssl/openssl.cnf",
  "terminfo",
  "timezone",
].map((name) => `/etc/${name}`);

/** Files of the kernel, none of a process: command lines of other users' programs are readable there. */
export const KERNEL = [
  "/proc/cpuinfo",
  "/proc/filesystems",
  "/proc/loadavg",
  "/proc/meminfo",
  "/proc/stat",
  "/proc/sys",
  "/proc/uptime",
  "/proc/version",
  "/sys/devices/system/cpu",
  // Limits of the container. Files of subfolders list the processes of neighbours.
  "/sys/fs/cgroup/cpu.max",
  "/sys/fs/cgroup/memory.max",
  "/sys/kernel/mm/transparent_hugepage",
];

/** Devices that keep nothing. */
export const DEVICES = ["full", "null", "random", "tty", "urandom", "zero"].map((name) => `/dev/${name}`);
