// Decides how a process is started whose memory is looked up all over: in large pages, where the system has them.

/**
 * The environment that makes glibc (2.35 and newer; others ignore it) ask Linux for large pages. With pages of 4 KiB
 * a quarter to a third of a search goes into taking pages into use and finding them again.
 */
export function withLargePages(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (hasLargePages(env)) return env;
  const given = env["GLIBC_TUNABLES"];
  const wanted = "glibc.malloc.hugetlb=1";
  return { ...env, GLIBC_TUNABLES: given ? `${given}:${wanted}` : wanted };
}

/** The same environment without the wish. */
export function withoutLargePages(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { GLIBC_TUNABLES: given, ...others } = env;
  const left = given?.split(":").filter((each) => !each.startsWith("glibc.malloc.hugetlb="));
  return left === undefined || left.length === 0
    ? others
    : { ...others, GLIBC_TUNABLES: left.join(":") };
}

function hasLargePages(env: NodeJS.ProcessEnv): boolean {
  return env["GLIBC_TUNABLES"]?.includes("glibc.malloc.hugetlb") === true;
}
