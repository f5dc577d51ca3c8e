import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system of a few megabytes that can be filled, so that every write fails, also those of git. */
export class SmallDisk {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Undefined where the user may not mount a file system. */
  static mount(megabytes = 4): SmallDisk | undefined {
    if (process.platform !== 'linux') return undefined;
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'parley-disk-')));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'ignore' });
      return new SmallDisk(folder);
    } catch {
      rmSync(folder, { recursive: true });
      return undefined;
    }
  }

  /** @param room Bytes that stay free; default: none. */
  async fill(room = 0): Promise<void> {
    const file = await open(join(this.folder, 'filler'), 'a');
    try {
      for (;;) await file.write(Buffer.alloc(4096));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      await file.truncate((await file.stat()).size - room);
    } finally {
      await file.close();
    }
  }

  /** Frees the space. */
  async free(): Promise<void> {
    await rm(join(this.folder, 'filler'), { force: true });
  }

  unmount(): void {
    execFileSync('umount', [this.folder]);
    rmSync(this.folder, { recursive: true });
  }
}
