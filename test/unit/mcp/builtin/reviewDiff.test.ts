import { editor } from './languageStub';
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reviewTool } from '../../../../src/mcp/builtin/editor/reviewDiffTool';
import type { VirtualFiles } from '../../../../src/workbench/virtualDocuments';
import { stubOf } from '../../../kit/stubOf';
import { BuiltInBench } from './builtInBench';

describe('the question about proposed texts', () => {
  let window: BuiltInBench;

  beforeEach(async () => {
    const proposals = stubOf<VirtualFiles>({ writeFile: () => undefined, remove: () => undefined });
    const tools = [reviewTool((_session, _path, write) => write(), proposals)];
    window = await BuiltInBench.open([{ name: 'editor', title: 'Editor', description: '', tools }], () => []);
    editor.folder = window.folder;
  });
  afterEach(async () => window.close());

  it('has a title of Parley: the agent’s is an argument', async () => {
    writeFileSync(join(window.folder, 'a.sh'), 'ls\n');
    const input = { title: 'Parley: install the security update', files: [{ path: 'a.sh', new_text: 'evil' }] };
    const { text } = await window.call('editor', 'review', input);
    assert.equal(text, 'The user rejected it.');
    assert.deepEqual(window.titles, ['Write the proposed text of a.sh']);
    assert.deepEqual(window.shownInput, input);
  });
});
