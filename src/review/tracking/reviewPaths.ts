import { realpath } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { isInside, realPathNames } from '../../node/fs/realPaths';

/** Canonical paths of reviewed files: one per file, below the workspace folder as VS Code knows it, with its real path. */
export class ReviewPaths {
  readonly #folders: () => readonly string[];
  /** Real folder paths at the first lookup: a folder that leads elsewhere later is another folder. */
  readonly #real = new Map<string, Promise<string>>();

  /** @param folders of the workspace, absolute; they may be links */
  constructor(folders: () => readonly string[]) {
    this.#folders = folders;
  }

  /** Settles when the real folder paths are known. */
  async remember(): Promise<void> {
    await Promise.all(this.#folders().map((folder) => this.#realFolder(folder)));
  }

  /**
   * The path by which a reviewed file is read and written, with links of its folders resolved.
   * @param path absolute, as the review names the file
   */
  async real(path: string): Promise<string> {
    const file = resolve(path);
    const around = this.#folders().filter((folder) => file.startsWith(folder + sep));
    const folder = around.toSorted((a, b) => b.length - a.length)[0];
    return folder === undefined ? file : join(await this.#realFolder(folder), relative(folder, file));
  }

  /**
   * The path under which a file is reviewed, with links resolved.
   * @param path absolute
   */
  async nameOf(path: string): Promise<string> {
    return (await this.nameInside(path)) ?? realPathNames(path, this.#folders()).at(-1) ?? path;
  }

  /** Like {@link nameOf}; undefined outside the workspace. */
  async nameInside(path: string): Promise<string | undefined> {
    const real = realPathNames(path, this.#folders()).at(-1) ?? path;
    for (const folder of this.#folders()) {
      const root = await this.#realFolder(folder);
      if (real !== root && isInside(root, real)) return join(folder, relative(root, real));
    }
    return undefined;
  }

  #realFolder(folder: string): Promise<string> {
    const known = this.#real.get(folder) ?? realpath(folder).catch(() => folder);
    this.#real.set(folder, known);
    return known;
  }
}
