const kills = new Set<() => void>();

/**
 * Calls `kill` when our own process exits first: no process that was started here outlives the window (I5). However many there are,
 * the process has one listener, and none while nothing runs.
 * @returns takes it back, when the process is over
 */
export function killOnExit(kill: () => void): () => void {
  if (kills.size === 0) process.once('exit', killAll);
  kills.add(kill);
  return () => {
    if (kills.delete(kill) && kills.size === 0) process.off('exit', killAll);
  };
}

function killAll(): void {
  for (const kill of kills) kill();
}
