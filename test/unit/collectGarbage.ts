import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects garbage: afterwards a `WeakRef` is empty unless something holds its object. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  // What a WeakRef was made of or has given stays until the end of the job.
  await new Promise((done) => setImmediate(done));
  (runInNewContext('gc') as () => void)();
}
