import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Folders {
  /** Those of the running test; undefined while none runs. */
  ofTest: string[] | undefined;
  readonly ofRun: string[];
}

/** Test files are bundles with copies of this module, but mocha has one root suite: its hooks exist once. */
const key = Symbol.for('parley.test.temporaryFolders');
const folders = ((globalThis as { [key]?: Folders })[key] ??= createFolders());

/**
 * Creates an empty folder, as a path without links, which is removed after the test, or after all tests if none runs (`before`).
 * A bench that several tests share makes its own.
 */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'parley-test-')));
  (folders.ofTest ?? folders.ofRun).push(folder);
  return folder;
}

function createFolders(): Folders {
  const folders: Folders = { ofTest: undefined, ofRun: [] };
  const removeAll = (): void => folders.ofRun.splice(0).forEach(remove);
  if (typeof beforeEach === 'undefined') {
    process.once('exit', removeAll);
    return folders;
  }
  beforeEach(() => void (folders.ofTest = []));
  afterEach(() => {
    const { ofTest = [] } = folders;
    folders.ofTest = undefined;
    ofTest.forEach(remove);
  });
  after(removeAll);
  return folders;
}

/** An exiting process may still write to it. */
function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}
