/** With process ids. */
const kills = new Map<() => void, number | undefined>();

/**
 * Calls `kill` when our own process exits first: no process started here outlives the window (I5). All registrations
 * share one listener, which exists only while a process runs.
 * @param pid of the process, if it could be started
 * @returns removes the registration when the process has ended
 */
export function killOnExit(kill: () => void, pid: number | undefined): () => void {
  if (kills.size === 0) process.once('exit', killAll);
  kills.set(kill, pid);
  return () => {
    if (kills.delete(kill) && kills.size === 0) process.off('exit', killAll);
  };
}

/** Ids of the processes that run for agents: agents, commands, tasks and tool servers. */
export function startedProcesses(): readonly number[] {
  return [...kills.values()].flatMap((pid) => pid ?? []);
}

function killAll(): void {
  for (const kill of kills.keys()) kill();
}
