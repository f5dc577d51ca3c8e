// Imported first: later imports get this stub of `vscode`.
import { OpenFile, shownFiles } from './editorStub';
import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import * as vscode from 'vscode';
import { ReviewNavigation } from '../../../../src/review/editor/reviewNavigation';
import { ReviewScopes } from '../../../../src/review/tracking/reviewScope';
import type { Session } from '../../../../src/session/session';
import type { Sessions } from '../../../../src/session/sessions';
import { stubOf } from '../../../kit/stubOf';
import { DiskWorld } from '../diskWorld';

/** The agent has deleted two files of the workspace, and one of its git worktree, which has the first name. */
describe('review/editor/reviewNavigation', () => {
  let world: DiskWorld;
  let navigation: ReviewNavigation;
  let active: string;
  const shown = (): string[] => shownFiles.map((path) => relative(world.folder, path));
  const goOn = async (name: string): Promise<void> => {
    await world.review.keepFile(world.at(name));
    await navigation.goOn({ path: world.at(name), line: 0, label: name });
  };

  beforeEach(async () => {
    shownFiles.length = 0;
    world = await DiskWorld.open();
    const names = ['own/a.txt', 'x.txt', 'z.txt'];
    await mkdir(world.at('own'));
    for (const name of ['own/kept.txt', ...names]) await writeFile(world.at(name), name);
    await world.begin(0);
    for (const name of names) await rm(world.at(name));
    await world.end();
    const scopes = new ReviewScopes(
      () => [world.folder],
      () => [world.at('own')],
    );
    active = 's';
    const sessions = stubOf<Sessions>({
      get active() {
        return stubOf<Session>({ id: active });
      },
    });
    navigation = new ReviewNavigation(world.review, scopes, sessions);
  });

  afterEach(async () => {
    Object.assign(vscode.window, { activeTextEditor: undefined });
    await world.close();
  });

  it('goes through the files of the workspace, not to the copies of a worktree', async () => {
    assert.equal(await navigation.go('next'), true);
    assert.deepEqual(shown(), ['x.txt']);
    await navigation.go('next', { path: world.at('z.txt'), line: 0 });
    assert.deepEqual(shown(), ['x.txt']);
    await navigation.go('previous', { path: world.at('x.txt'), line: 0 });
    assert.deepEqual(shown(), ['z.txt']);
  });

  it('stays in the worktree that the cursor is in', async () => {
    const document = new OpenFile(world.at('own/kept.txt'));
    Object.assign(vscode.window, { activeTextEditor: { document, selection: { active: { line: 0 } } } });
    await navigation.go('next');
    assert.deepEqual(shown(), ['own/a.txt']);
  });

  it('goes from a chat to its own files first, then to those of others', async () => {
    active = 'mine';
    for (const name of ['y.txt', 'z.txt']) {
      const item = world.modifiedFiles.get(world.at('z.txt'));
      assert.ok(item);
      world.modifiedFiles.set(world.at(name), { ...item, sessions: ['mine'] });
    }
    const go = async (direction: 'next' | 'previous', from?: string): Promise<string | undefined> => {
      await navigation.go(direction, from === undefined ? undefined : { path: world.at(from), line: 0 });
      return shown()[0];
    };
    assert.deepEqual(
      [await go('next'), await go('previous'), await go('next', 'own/kept.txt')],
      ['y.txt', 'z.txt', 'own/a.txt'],
    );
    assert.deepEqual(
      [await go('next', 'y.txt'), await go('next', 'z.txt'), await go('next', 'x.txt')],
      ['z.txt', 'x.txt', 'y.txt'],
    );
    // A reviewed file is followed by the next one of the chat, while it has some.
    await goOn('z.txt');
    assert.deepEqual(shown(), ['y.txt']);
    await goOn('y.txt');
    assert.deepEqual(shown(), ['x.txt']);
  });

  it('ends with the last change of the workspace, and goes to a worktree only when it is asked again', async () => {
    await goOn('x.txt');
    assert.deepEqual(shown(), ['z.txt']);
    await goOn('z.txt');
    assert.deepEqual(shown(), ['z.txt']);
    assert.equal(await navigation.go('next'), true);
    assert.deepEqual(shown(), ['own/a.txt']);
  });
});
