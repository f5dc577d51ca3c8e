/** Decides about the notice after an update. Pure. */

/** `0.2` for `0.2.7`: patches are not announced. Undefined for an invalid version. */
export function minorOf(version: string): string | undefined {
  return /^(\d+\.\d+)\.\d+/.exec(version)?.[1];
}

/**
 * Whether an update is announced: the last announced version is an earlier one. A first start has none.
 * @param lastShown from {@link minorOf}
 */
export function isNewVersion(current: string | undefined, lastShown: string | undefined): boolean {
  if (current === undefined || lastShown === undefined) return false;
  const [major = 0, minor = 0] = numbers(current);
  const [shownMajor = 0, shownMinor = 0] = numbers(lastShown);
  return major > shownMajor || (major === shownMajor && minor > shownMinor);
}

function numbers(version: string): number[] {
  return version.split('.').map(Number);
}

/** The URL fragment of the newest heading of that minor version in a changelog: `021` for `## 0.2.1`. */
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
