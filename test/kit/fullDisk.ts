import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';

/**
 * Simulates a disk with space for that many more bytes.
 * @param bad Aborts the first writes after that many bytes, also when overwriting, as copy-on-write file systems do.
 * @param writes number of writes that are aborted
 */
export async function withDisk(room: number, job: () => Promise<void>, bad = 0, writes = 1): Promise<void> {
  const probe = await open(tmpdir(), 'r');
  const prototype = Object.getPrototypeOf(probe) as { write: FileHandle['write'] };
  await probe.close();
  const { write } = prototype;
  let [left, failing, remaining] = [room, bad > 0 ? 1 : 0, writes];
  const limited = async function (this: FileHandle, ...[bytes, offset, length, position]: number[]) {
    const { size } = await this.stat();
    const more = Math.max(0, Number(position) + Number(length) - size);
    const fits = failing > 0 ? bad : Math.min(Number(length), Number(length) - more + left);
    if (fits <= 0 || failing > 1) {
      failing = --remaining > 0 ? 1 : 0;
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    }
    if (failing > 0) failing++;
    left -= Math.min(left, more);
    return Reflect.apply(write, this, [bytes, offset, fits, position]) as ReturnType<FileHandle['write']>;
  };
  Object.assign(prototype, { write: limited });
  try {
    await job();
  } finally {
    prototype.write = write;
  }
}
