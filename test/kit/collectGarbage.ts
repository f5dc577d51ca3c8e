import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects garbage: afterwards a `WeakRef` is empty unless its object is still referenced. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  // An object stays alive until the end of the job in which its WeakRef was created or dereferenced.
  await new Promise((done) => setImmediate(done));
  (runInNewContext('gc') as () => void)();
}
