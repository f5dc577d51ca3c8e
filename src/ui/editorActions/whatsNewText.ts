/** What is new after an update. Pure. */

/** `0.2` of `0.2.7`: patches have nothing to tell. Undefined for what is no version. */
export function minorOf(version: string): string | undefined {
  return /^(\d+\.\d+)\.\d+/.exec(version)?.[1];
}

/**
 * Whether an update is worth a line: the version that was told about last is an earlier one. On a first start there was none.
 * @param told as {@link minorOf} gives it
 */
export function isNewVersion(current: string | undefined, told: string | undefined): boolean {
  if (current === undefined || told === undefined) return false;
  const [major = 0, minor = 0] = numbers(current);
  const [toldMajor = 0, toldMinor = 0] = numbers(told);
  return major > toldMajor || (major === toldMajor && minor > toldMinor);
}

function numbers(version: string): number[] {
  return version.split('.').map(Number);
}

/** The heading of the newest version of that minor in a changelog, as the fragment of a link: `## 0.2.1` is `021`. */
export function changelogFragment(changelog: string, minor: string): string | undefined {
  const heading = Array.from(changelog.matchAll(/^## (\S+).*$/gmu)).find(
    ([, version = '']) => minorOf(version) === minor,
  );
  return heading?.[0]
    .slice(3)
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/gu, '-');
}
