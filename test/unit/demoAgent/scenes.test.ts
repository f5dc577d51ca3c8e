import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import type { JsonObject } from '../../../src/base/json';
import { asObject, asString } from '../../../src/base/json';
import { DemoFixture } from './fixture';
import { renderLog } from './transcript';

const GOLDEN = join(process.cwd(), 'test/golden/demoAgent');

type Scene = (demo: DemoFixture) => Promise<void>;

/** Sends these messages in one session with a client that supports everything. */
const told =
  (...prompts: readonly string[]): Scene =>
  async (demo) => {
    const session = await demo.open();
    for (const prompt of prompts) await demo.client.play(session, prompt);
  };

/** Each has a golden text. After an intended change, run with UPDATE_GOLDEN=1 and read the difference. */
const SCENES: Readonly<Record<string, Scene>> = {
  handshake: async (demo) => {
    const noteAll = (answer: unknown): void => {
      for (const [name, value] of Object.entries(asObject(answer) ?? {}))
        if (name !== 'sessionId') demo.client.note(`  ${name}: ${JSON.stringify(value)}`);
    };
    const initialized = await demo.client.initialize();
    const opened = await demo.client.request('session/new', { cwd: demo.folder, mcpServers: [] });
    const commands = await demo.client.untilUpdate('available_commands_update');
    demo.client.log.length = 0;
    demo.client.note('initialize:');
    noteAll(initialized);
    demo.client.note('session/new:');
    noteAll(opened);
    demo.client.log.push(commands);
  },
  // No word of it selects a scene.
  tour: told('explain my running crashes and the failure'),
  'tour-rejected': async (demo) => {
    demo.editor.choice = 'reject';
    await told('Hello')(demo);
  },
  'tour-no-capabilities': async (demo) => demo.client.play(await demo.open({}), 'Hello'),
  'tour-read-only': async (demo) => {
    const session = await demo.open();
    await demo.client.request('session/set_mode', { sessionId: session, modeId: 'readonly' });
    await demo.client.untilUpdate('config_option_update');
    await demo.client.play(session, '/tour');
  },
  'tour-failing': async (demo) => {
    demo.editor.files.delete(join(demo.folder, 'README.md'));
    demo.client.answers['terminal/create'] = () => {
      throw Object.assign(new Error('no terminals today'), { code: -32603 });
    };
    await told('Hello')(demo);
  },
  'tour-editor-tools': (demo) =>
    withEditorTools(demo, async (servers) => {
      const session = await demo.open(undefined, servers);
      await demo.client.play(session, 'Hello');
    }),
  plan: told('Show me a PLAN!', 'Follow this plan instead:\n\n1. Look\n2. Leap\n'),
  approve: async (demo) => {
    const session = await demo.open();
    for (const choice of ['revise', 'start']) {
      demo.editor.choice = choice;
      await demo.client.play(session, '/approve');
    }
  },
  read: told('read'),
  'read-subfolder': async (demo) => {
    await rm(join(demo.folder, 'README.md'));
    // Hidden files may be private.
    await mkdir(join(demo.folder, '.private'));
    await writeFile(join(demo.folder, '.private', 'secret.txt'), 'secret');
    const session = await demo.open();
    await demo.client.play(session, 'read');
    await mkdir(join(demo.folder, 'src'));
    const inside = join(demo.folder, 'src', 'index.ts');
    await writeFile(inside, 'export {};\n');
    demo.editor.files.set(inside, 'export {};\n');
    await demo.client.play(session, '/read please do not edit');
  },
  tools: told('/tools'),
  'edit-crlf': async (demo) => {
    demo.editor.files.set(demo.demoFile, '# Mine\r\n\r\nlast line without an end');
    await told('please edit it')(demo);
  },
  'edit-always': async (demo) => {
    demo.editor.choice = 'always';
    await told('edit', 'edit')(demo);
    demo.client.note('In another chat:');
    await demo.client.play(await demo.client.newSession(demo.folder), 'edit');
  },
  'edit-accept-edits': async (demo) => {
    const sessionId = await demo.open();
    await demo.client.request('session/set_config_option', { sessionId, configId: 'mode', value: 'edits' });
    await demo.client.untilUpdate('current_mode_update');
    await demo.client.play(sessionId, '/edit');
  },
  'edit-no-read': async (demo) => {
    await writeFile(demo.demoFile, '# On disk\n');
    await demo.client.play(await demo.open({ fs: { writeTextFile: true } }), 'edit');
  },
  ask: async (demo) => {
    const session = await demo.open();
    for (const choice of ['once', 'never']) {
      demo.editor.choice = choice;
      await demo.client.play(session, 'ask');
    }
  },
  run: async (demo) => {
    await told('run')(demo);
    demo.client.note(`printed: ${JSON.stringify(demo.editor.output('terminal 1'))}`);
  },
  form: async (demo) => {
    const session = await demo.open();
    demo.client.answers['elicitation/create'] = () => ({ action: 'accept', content: { name: 'Ann', times: 2 } });
    await demo.client.play(session, 'form');
    demo.client.answers['elicitation/create'] = () => ({ action: 'decline' });
    await demo.client.play(session, 'form');
  },
  'form-no-capability': async (demo) => demo.client.play(await demo.open({ terminal: true }), 'form'),
  background: async (demo) => {
    const session = await demo.open();
    let end: ((exit: object) => void) | undefined;
    demo.client.answers['terminal/create'] = () => ({ terminalId: 'back' });
    demo.client.answers['terminal/wait_for_exit'] = () => new Promise((resolve) => (end = resolve));
    await demo.client.play(session, 'background');
    demo.client.note('The command ends.');
    end?.({ exitCode: 0 });
    await demo.client.untilMethod('terminal/release');
  },
  limit: told('limit', 'limit', 'What is the limit of this plan?'),
  long: told('/long 5'),
  fail: told('fail', 'Why does the plan fail?', 'Did the plan crash?'),
  crash: async (demo) => {
    const session = await demo.open();
    await demo.client.play(session, 'crash');
    const { code, signal } = await demo.client.exited;
    demo.client.note(`ended with ${code ?? signal}: ${demo.client.stderr.trimEnd()}`);
  },
  'cancel-permission': async (demo) => {
    const session = await demo.open();
    demo.editor.choice = undefined;
    const silent = demo.client.play(session, 'ask');
    await demo.client.untilMethod('session/request_permission');
    demo.client.cancel(session);
    await silent;
    demo.client.answers['session/request_permission'] = () => ({ outcome: { outcome: 'cancelled' } });
    await demo.client.play(session, 'ask');
  },
  'cancel-command': async (demo) => {
    const session = await demo.open();
    demo.client.answers['terminal/wait_for_exit'] = () => undefined;
    const turn = demo.client.play(session, 'run');
    await demo.client.untilMethod('terminal/wait_for_exit');
    demo.client.cancel(session);
    await turn;
  },
  'cancel-early': async (demo) => {
    const session = await demo.open();
    demo.client.answers['terminal/create'] = () => undefined;
    const turn = demo.client.play(session, 'run');
    const create = await demo.client.untilMethod('terminal/create');
    demo.client.cancel(session);
    await turn;
    demo.client.note('The terminal is created.');
    demo.client.respond(create, { terminalId: 'late' });
    await demo.client.untilMethod('terminal/release');
  },
};

describe('demo agent: scenes (golden files)', () => {
  const demo = DemoFixture.use();

  for (const [name, play] of Object.entries(SCENES))
    it(name, async () => {
      await play(demo);
      const text = renderLog(demo.client.log, demo.folder);
      const file = join(GOLDEN, `${name}.txt`);
      if (process.env['UPDATE_GOLDEN']) writeFileSync(file, text);
      assert.equal(text, readFileSync(file, 'utf8'));
    });

  it('have no golden file of a scene that is gone', () => {
    const names = Object.keys(SCENES).map((name) => `${name}.txt`);
    assert.deepEqual(readdirSync(GOLDEN).toSorted(), names.toSorted());
  });
});

/** Provides the tools `problems` and `code` of an editor, the second of which fails, and notes their calls. */
async function withEditorTools(demo: DemoFixture, play: (servers: readonly object[]) => Promise<void>): Promise<void> {
  const calls: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { params } = (await json(request)) as { params: JsonObject };
    const { name, arguments: input } = params;
    calls.push(`called ${asString(name)} ${JSON.stringify(input)} with ${request.headers.authorization}`);
    const isError = name === 'outline';
    const content = [{ type: 'text', text: isError ? 'no symbols' : '2 problems:\na | b' }];
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content, isError } }));
  };
  const server = createServer((request, response) => void answer(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const headers = [{ name: 'Authorization', value: 'Bearer k' }];
    await play(['problems', 'code'].map((name) => ({ type: 'http', name, url, headers })));
    // Last: the requests arrive on another way than the messages of the agent.
    for (const call of calls) demo.client.note(call);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
