import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/app';
import { fakeAgent } from '../fakeAgent/definition';
import { untilEvent } from '../kit/waiting';
import { render } from '../replay/render';
import { workspaceFolder } from './clientHelp';

/** Prompt files in a real workspace, from the file to the agent. */
describe('prompt files in the extension host', () => {
  let api: TestApi;
  const folders = [join(workspaceFolder(), '.parley'), join(workspaceFolder(), '.github')];

  before(async () => {
    const extension = vscode.extensions.getExtension<TestApi>('parley.parley');
    assert.ok(extension);
    api = await extension.activate();
    const { command, args, env } = fakeAgent();
    const agents = { 'Prompted agent': { command, args, env } };
    await vscode.workspace.getConfiguration('parley').update('agents', agents, vscode.ConfigurationTarget.Global);
  });

  after(async () => {
    for (const { id, agent } of api.catalog.items()) if (agent?.name === 'Prompted agent') await api.catalog.remove(id);
    await vscode.workspace.getConfiguration('parley').update('agents', undefined, vscode.ConfigurationTarget.Global);
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  });

  const offered = (): string[] => api.prompts.commands().map(({ name, hint = '' }) => `${name} ${hint}`.trim());
  const offers = (...names: string[]): Promise<void> =>
    untilEvent(api.prompts.onDidChange, () => offered().join() === names.join());

  async function write(path: string, text: string): Promise<void> {
    const file = join(workspaceFolder(), path);
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, text);
  }

  it('become commands when created, are sent as text, and disappear with their file', async () => {
    await write('.parley/prompts/greet.md', '---\narguments: [who]\n---\ntext Hello ${input:who}!\n');
    await offers('greet <who>');
    await write('.github/prompts/part.prompt.md', '---\nmode: agent\n---\ntext Goodbye!\n');
    await write('.github/prompts/no-prompt.md', 'Not one.');
    await offers('greet <who>', 'part');
    const session = api.sessions.newChat();
    await session.chooseAgent('Prompted agent');
    await session.send('/greet Ada');
    assert.match(render(session.state), /\[user\]\n {2}\/greet Ada\n\[agent\]\n {2}Hello Ada!/);
    await session.send('/greet');
    assert.match(render(session.state), /Not sent: Provide a value for “who”\. Usage: \/greet <who>/);
    await rm(join(workspaceFolder(), '.parley'), { recursive: true });
    await offers('part');
  });
});
