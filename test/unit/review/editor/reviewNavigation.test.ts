// Imported first: later imports get this stub of `vscode`.
import { OpenFile, shownFiles } from './editorStub';
import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import * as vscode from 'vscode';
import { ReviewNavigation } from '../../../../src/review/editor/reviewNavigation';
import { ReviewScopes } from '../../../../src/review/tracking/reviewScope';
import { DiskWorld } from '../diskWorld';

/** The agent has deleted two files of the workspace, and one of its git worktree, which has the first name. */
describe('review/editor/reviewNavigation', () => {
  let world: DiskWorld;
  let navigation: ReviewNavigation;
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
    navigation = new ReviewNavigation(world.review, scopes);
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

  it('ends with the last change of the workspace, and goes to a worktree only when it is asked again', async () => {
    await goOn('x.txt');
    assert.deepEqual(shown(), ['z.txt']);
    await goOn('z.txt');
    assert.deepEqual(shown(), ['z.txt']);
    assert.equal(await navigation.go('next'), true);
    assert.deepEqual(shown(), ['own/a.txt']);
  });
});
