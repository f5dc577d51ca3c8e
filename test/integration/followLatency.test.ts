import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { Emitter } from '../../src/base/event';
import { Follow } from '../../src/review/follow/followAgent';
import { FollowPreview } from '../../src/review/follow/followPreview';
import { untilEvent } from '../kit/waiting';
import { FakeSession, FakeSessions } from '../unit/ui/fakes';
import { makeInside, remove, nullLogger, workspaceFolder } from './clientHelp';

/** A measurement for `npm run bench follow`, which passes the file for the results. */
const RESULTS = process.env['HOST_BENCH'];

const FILES = 6;
const ROUNDS = 30;
const LINES = 5000;

if (RESULTS !== undefined) {
  describe('measure follow', () => {
    it('measures the time from the report of the agent until the line is visible, and that of VS Code itself', async () => {
      const folder = await makeInside('latency');
      const text = Array.from({ length: LINES }, (_, line) => `const line${line} = ${line};`).join('\n');
      const paths = Array.from({ length: FILES }, (_, at) => join(folder, `file${at}.txt`));
      for (const path of paths) await writeFile(path, text);
      const session = new FakeSession('one');
      Object.assign(session, { folders: [workspaceFolder()] });
      session.dispatch({ type: 'promptSent', text: 'go', blocks: [], at: 1 });
      const shown = { follow: [] as number[], floor: [] as number[] };
      for (let round = 0; round < ROUNDS; round++) {
        const path = paths[round % FILES] ?? '';
        const line = 1 + ((round * 977) % LINES);
        const ways = {
          follow: () => report(session, path, line, round),
          floor: () => void plain(path, line),
        };
        // Interleaved, alternating which comes first, and each with a file that the other did not leave open.
        const order = round % 2 === 0 ? (['follow', 'floor'] as const) : (['floor', 'follow'] as const);
        for (const way of order) {
          await clear();
          // A new one for each measurement: it would take the editors of the other measurement for user actions, and pause.
          const follow = way === 'follow' ? followAtOnce(session) : undefined;
          shown[way].push(await timeTo(path, line, ways[way]));
          follow?.dispose();
        }
      }
      await clear();
      await remove(folder);
      await writeFile(RESULTS, JSON.stringify(shown));
    });
  });
}

/** Without the pause between two locations, which only helps the user's eyes. */
function followAtOnce(session: FakeSession): Follow {
  const { event: onDidChange } = new Emitter<void>();
  const setting = { isEnabled: () => true, setEnabled: async () => undefined, onDidChange };
  let time = 0;
  return new Follow(new FakeSessions([session]), new FollowPreview(nullLogger), setting, new Emitter<void>().event, {
    now: () => Date.now(),
    elapsed: () => time,
    after: (ms, callback) => {
      time += ms;
      queueMicrotask(callback);
      return { dispose: () => undefined };
    },
  });
}

function report(session: FakeSession, path: string, line: number, round: number): void {
  const patch = { locations: [{ path, label: path, line }] };
  session.dispatch({ type: 'toolStarted', toolCallId: `t${round}`, patch, at: 1 });
}

async function plain(path: string, line: number): Promise<void> {
  const options = { preview: true, preserveFocus: true, viewColumn: vscode.ViewColumn.One };
  const editor = await vscode.window.showTextDocument(vscode.Uri.file(path), options);
  const at = new vscode.Range(line - 1, 0, line - 1, 0);
  editor.revealRange(at, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

async function timeTo(path: string, line: number, act: () => void): Promise<number> {
  const isShown = (): boolean =>
    vscode.window.visibleTextEditors.some(
      ({ document, visibleRanges }) =>
        document.uri.fsPath === path &&
        visibleRanges.some(({ start, end }) => start.line < line && line <= end.line + 1),
    );
  const started = performance.now();
  act();
  const appeared = (): boolean => vscode.window.visibleTextEditors.some(({ document }) => document.uri.fsPath === path);
  await untilEvent(vscode.window.onDidChangeVisibleTextEditors, appeared);
  await untilEvent(vscode.window.onDidChangeTextEditorVisibleRanges, isShown);
  return performance.now() - started;
}

async function clear(): Promise<void> {
  await vscode.window.tabGroups.close(vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs));
}
