export function runInLanes(
  jobs: readonly (() => Promise<void>)[],
  look?: { pause?: number; hasRoom?: () => boolean },
): Promise<void>;
