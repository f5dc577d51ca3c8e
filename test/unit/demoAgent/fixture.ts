import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Editor } from './editor';
import { RawClient, everything } from './rawClient';

/** The demo agent as shipped, as a child process, new for every test, with a client and a real folder. */
export class DemoFixture {
  readonly bundle = join(process.cwd(), 'out', 'package', 'dist', 'lib', 'demo.js');
  folder = '';
  client!: RawClient;
  editor!: Editor;
  #scratch = '';

  /** Registers hooks in the surrounding `describe`. */
  static use(): DemoFixture {
    const fixture = new DemoFixture();
    before(() => fixture.#createScratch());
    after(() => rm(fixture.#scratch, { recursive: true, force: true }));
    beforeEach(() => fixture.#start());
    afterEach(() => fixture.#stop());
    return fixture;
  }

  get demoFile(): string {
    return join(this.folder, 'parley-demo.md');
  }

  /** Creates a session for a client with `capabilities`. */
  async open(capabilities: object = everything, mcpServers: readonly object[] = []): Promise<string> {
    await this.client.initialize(capabilities);
    const session = await this.client.newSession(this.folder, mcpServers);
    this.client.log.length = 0;
    return session;
  }

  async workspace(readme: string): Promise<string> {
    const path = await mkdtemp(join(this.#scratch, 'workspace-'));
    await writeFile(join(path, 'README.md'), readme);
    return path;
  }

  async #createScratch(): Promise<void> {
    this.#scratch = await realpath(await mkdtemp(join(tmpdir(), 'parley-demo-')));
  }

  async #start(): Promise<void> {
    this.folder = await this.workspace('# Sample\n\non disk\n');
    this.client = new RawClient(this.bundle);
    this.editor = new Editor(this.client);
    this.editor.files.set(join(this.folder, 'README.md'), '# Unsaved title\n');
  }

  async #stop(): Promise<void> {
    this.client.child.kill();
    await this.client.exited;
    assert.deepEqual(this.client.problems, [], 'everything sent is valid by the schema');
  }
}
