const kills = new Set<() => void>();

/**
 * Calls `kill` when our own process exits first: no process started here outlives the window (I5). All registrations
 * share one listener, which exists only while a process runs.
 * @returns removes the registration when the process has ended
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
