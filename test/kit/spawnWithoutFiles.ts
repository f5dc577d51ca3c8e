import childProcess, { ChildProcess } from 'node:child_process';

/**
 * Lets processes fail to start as in a process that may open no more files: Node returns a child without streams, and
 * reports the error on it with the next tick.
 */
export async function spawnWithoutFiles<T>(job: () => Promise<T>): Promise<T> {
  const { spawn } = childProcess;
  childProcess.spawn = ((program: string) => {
    const child = new ChildProcess();
    const error = Object.assign(new Error(`spawn ${program} EMFILE`), { code: 'EMFILE' });
    process.nextTick(() => child.emit('error', error));
    return child;
  }) as typeof spawn;
  try {
    return await job();
  } finally {
    childProcess.spawn = spawn;
  }
}
