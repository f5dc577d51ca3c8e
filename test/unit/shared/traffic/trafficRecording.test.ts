import assert from 'node:assert/strict';
import { TrafficRecorder } from '../../../../src/agent/traffic/trafficRecorder';
import { ParleyError } from '../../../../src/base/errors';
import {
  parseRecording,
  recordedLines,
  toPathPlaceholders,
  writeRecording,
} from '../../../../src/shared/traffic/trafficRecording';

const header = { parley: '0.1.0', editor: '1.106.0', platform: 'linux', agent: 'Claude' };

describe('shared/traffic/trafficRecording', () => {
  const write = (ring: TrafficRecorder): string =>
    writeRecording(header, ring.entries(), toPathPlaceholders(['/home/eva/proj', '/srv/other'], '/home/eva'));

  it('reads back what it writes: messages, other output, stderr, and the beginning of large messages', () => {
    const ring = new TrafficRecorder();
    const message = { jsonrpc: '2.0', method: 'a' };
    ring.message('out', message, JSON.stringify(message));
    ring.invalidLine('noise');
    ring.stderr('warning');
    ring.message('in', {}, 'y'.repeat(600_000));
    const lines = parseRecording(write(ring));
    assert.deepEqual(
      lines.map((line) => Object.assign(line, { t: 0 })),
      [
        { dir: 'out', t: 0, msg: message },
        { dir: 'in', t: 0, noise: 'noise' },
        { dir: 'in', t: 0, stderr: 'warning' },
        { dir: 'in', t: 0, beginning: 'y'.repeat(4_096), bytes: 600_000 },
      ],
    );
  });

  it('replaces the folders of this machine by placeholders, and nothing else', () => {
    const ring = new TrafficRecorder();
    const message = {
      cwd: '/home/eva/proj',
      uri: 'file:///home/eva/proj/src/a.ts',
      text: 'in /srv/other/b, /home/eva/.config, /home/evaluation, /home/eva/project and "/home/eva/proj"',
      '/home/eva/proj/key': 1,
    };
    ring.message('in', message, JSON.stringify(message));
    const [line] = parseRecording(write(ring));
    assert.deepEqual(line && 'msg' in line && line.msg, {
      cwd: '/workspace',
      uri: 'file:///workspace/src/a.ts',
      text: 'in /workspace2/b, /home/user/.config, /home/evaluation, /home/user/project and "/workspace"',
      '/workspace/key': 1,
    });
    assert.doesNotMatch(write(ring), /eva\//);
  });

  it('contains no secret of the corpus, in any position', () => {
    const secrets = [
      `sk-${'abcdefghij'.repeat(3)}`,
      `ghp_${'abcdefghij'.repeat(4)}`,
      'AKIAABCDEFGHIJKLMNOP',
      'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefgh',
      'known-to-the-window',
    ];
    const ring = new TrafficRecorder({ API_TOKEN: 'known-to-the-window' });
    for (const secret of secrets) {
      const message = {
        text: `here: ${secret}`,
        env: [{ name: 'A', value: secret }],
        headers: { Authorization: `Bearer ${secret}` },
        nested: [{ apiKey: secret, [`key ${secret}`]: JSON.stringify({ token: secret }) }],
      };
      ring.message('out', message, JSON.stringify(message));
      ring.invalidLine(`noise ${secret}`);
      ring.stderr(`export KEY=${secret}`);
      ring.message('in', {}, `{"text":"${secret}${' '.repeat(600_000)}"}`);
    }
    const text = write(ring);
    for (const secret of secrets) assert.ok(!text.includes(secret), secret);
    assert.equal(parseRecording(text).length, secrets.length * 4);
  });

  it('is read line by line, so that a long file can be read with pauses', () => {
    const lines = recordedLines('{"format":1}\r\n\r\n{"dir":"in","t":1,"noise":"a"}\r\nnonsense');
    const read = Array.from({ length: 3 }, () => lines.next().value);
    assert.deepEqual(read, [undefined, undefined, { dir: 'in', t: 1, noise: 'a' }]);
    assert.throws(() => lines.next(), /Line 4: invalid JSON: /);
  });

  it('reports the invalid line', () => {
    const good = '{"dir":"in","t":1,"msg":{}}';
    const cases: readonly (readonly [string, RegExp])[] = [
      ['', /^Line 1: the file contains no messages/],
      [`${good}\nnonsense`, /^Line 2: invalid JSON: /],
      [`${good}\n\n[1]`, /^Line 3: expected an object/],
      ['{"dir":"up","msg":{}}', /^Line 1: "dir" must be "in" or "out"/],
      ['{"dir":"in","msg":"x"}', /^Line 1: "msg" must be an object/],
      ['{"dir":"in"}', /^Line 1: expected "msg", "noise" or "stderr"/],
      ['{"format":7}', /^Line 1: unknown format 7; /],
    ];
    for (const [text, message] of cases) {
      assert.throws(
        () => parseRecording(text),
        (error) => ParleyError.is(error, 'badInput') && message.test(error.message) && error.nextStep !== undefined,
        text,
      );
    }
  });
});
