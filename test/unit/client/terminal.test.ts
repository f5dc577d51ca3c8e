import assert from 'node:assert/strict';
import { silentLog } from '../../../src/base/log';
import { CommandProcess } from '../../../src/client/commandProcess';
import type { OutputView } from '../../../src/client/terminal';
import { Terminal } from '../../../src/client/terminal';
import type { SessionPort } from '../../../src/session/port';
import { emptySession } from '../../../src/shared/state';

class FakeView implements OutputView {
  text = '';
  notes: string[] = [];
  shown = 0;
  show() {
    this.shown++;
  }
  write(text: string) {
    this.text += text;
  }
  note(text: string) {
    this.notes.push(text);
  }
  dispose() {}
}

describe('client/terminal', () => {
  it('shows every piece of output once, what was before and what comes after, and the end', async () => {
    const session: SessionPort = {
      id: 's',
      folders: [],
      state: emptySession('s'),
      dispatch: () => undefined,
      ask: () => Promise.reject(new Error('not asked here')),
      elicit: () => assert.fail('not asked here'),
    };
    const options = { terminalId: 't', agentSessionId: 'a', session, title: 'x', limit: 1000, agentLimit: 1000 };
    const terminal = new Terminal(options);
    const view = new FakeView();
    terminal.onData('before ');
    terminal.show(() => view);
    terminal.onData('and after');
    terminal.show(() => assert.fail('one view is enough'));
    const plan = { file: process.execPath, args: ['-e', 'console.log("!"); process.exit(4)'], verbatim: false };
    const where = { cwd: '/', env: {} };
    terminal.attach(await CommandProcess.start(plan, where, silentLog, terminal.onData), 'x', '/');
    await terminal.done;
    assert.equal(view.text, 'before and after!\n');
    assert.equal(view.shown, 2);
    assert.deepEqual(view.notes, ['exited with code 4']);
    terminal.dispose();
  });

  it('I5: disposed, it also ends what an exited command left in the background', async function () {
    if (process.platform === 'win32') this.skip();
    const session: SessionPort = {
      id: 's',
      folders: [],
      state: emptySession('s'),
      dispatch: () => undefined,
      ask: () => Promise.reject(new Error('not asked here')),
      elicit: () => assert.fail('not asked here'),
    };
    const options = { terminalId: 't', agentSessionId: 'a', session, title: 'x', limit: 1000, agentLimit: 1000 };
    const terminal = new Terminal(options);
    const plan = { file: '/bin/sh', args: ['-c', 'sleep 1000 >/dev/null 2>&1 & echo $!'], verbatim: false };
    const where = { cwd: '/', env: {} };
    terminal.attach(await CommandProcess.start(plan, where, silentLog, terminal.onData), 'x', '/');
    await terminal.done;
    const left = Number(terminal.read().output);
    assert.ok(isRunning(left));
    terminal.dispose();
    while (isRunning(left)) await new Promise((look) => setImmediate(look));
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
