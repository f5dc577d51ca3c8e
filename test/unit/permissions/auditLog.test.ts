import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson } from '../../../src/base/json';
import type { Logger } from '../../../src/base/logger';
import { nullLogger } from '../../../src/base/logger';
import { Redactor } from '../../../src/base/redactor';
import { onDidLoseData } from '../../../src/node/fs/storedFile';
import type { AuditEntry, AuditRecord } from '../../../src/permissions/auditLog';
import { AuditLog } from '../../../src/permissions/auditLog';
import { temporaryFolder } from '../../kit/temporaryFolder';

describe('permissions/auditLog', () => {
  let folder: string;
  const secret = 'sk-abcdefghijklmnop0123456789';
  const entry = (title: string, more: Partial<AuditEntry> = {}): AuditEntry => ({
    time: '2026-01-02T03:04:05.000Z',
    session: 's',
    agent: 'a',
    kind: 'execute',
    title,
    decision: 'allowed',
    by: 'person',
    ms: 5,
    ...more,
  });
  const open = (more: { maxBytes?: number; log?: Logger; at?: string } = {}): AuditLog => {
    const { at = join(folder, 'audit'), log = nullLogger, maxBytes } = more;
    return new AuditLog(at, new Redactor(), log, maxBytes);
  };

  beforeEach(() => (folder = temporaryFolder()));

  it('keeps the order of decisions, reports each, and reads them after a restart', async () => {
    const log = open();
    const told: AuditRecord[] = [];
    log.onDidAppend((record) => told.push(record));
    for (const title of ['one', 'two', 'three']) log.append(entry(title));
    assert.deepEqual(
      told.map(({ title }) => title),
      ['one', 'two', 'three'],
    );
    assert.deepEqual(await log.entries(), told);
    assert.deepEqual(await open().entries(), told);
  });

  it('contains no secrets, and identifies equal arguments by their hash', async () => {
    const log = open();
    const input = { command: `curl -H "Authorization: Bearer ${secret}"`, token: secret };
    log.append(entry(`run ${secret}`, { arguments: input, command: `x --key=${secret}`, paths: [`/ws/${secret}`] }));
    log.append(entry('again', { arguments: { token: secret, command: input.command } }));
    await log.flush();
    const text = await readFile(join(folder, 'audit/audit.jsonl'), 'utf8');
    assert.ok(!text.includes(secret), text);
    const [first, second] = await log.entries();
    assert.ok(first?.hash && first.hash === second?.hash);
    assert.equal(canonicalJson({ b: 1, a: [{ d: 1, c: 2 }] }), '{"a":[{"c":2,"d":1}],"b":1}');
  });

  it('starts a new file when one is full, and keeps only a few', async () => {
    const log = open({ maxBytes: 1000 });
    for (let index = 0; index < 60; index++) {
      log.append(entry(`decision ${index}`));
      await log.flush();
    }
    assert.deepEqual((await readdir(join(folder, 'audit'))).toSorted(), [
      'audit.1.jsonl',
      'audit.2.jsonl',
      'audit.3.jsonl',
      'audit.jsonl',
    ]);
    const kept = (await log.entries()).map(({ title }) => Number(title.slice(9)));
    assert.equal(kept.at(-1), 59);
    assert.deepEqual(
      kept,
      Array.from({ length: kept.length }, (_, index) => 60 - kept.length + index),
    );
  });

  it('shortens every text of a record, so that one request does not fill a file', async () => {
    const log = open();
    const long = 'x'.repeat(2_000_000);
    const texts = { title: long, command: long, reason: long, option: long, tool: long, kind: long };
    log.append({
      ...entry('long'),
      ...texts,
      paths: Array.from({ length: 5_000 }, (_, at) => `${at}${long.slice(0, 2_000)}`),
    });
    const [record] = await log.entries();
    assert.ok(JSON.stringify(record).length < 60_000);
    assert.equal(record?.paths?.at(-1), '4950 more');
    log.append({ ...entry('end'), command: `echo ${long}; rm -rf /` });
    const end = (await log.entries()).find(({ title }) => title === 'end')?.command ?? '';
    assert.ok(end.startsWith('echo x') && end.endsWith('; rm -rf /') && end.length < 5_000);
  });

  it('skips a truncated line', async () => {
    await mkdir(join(folder, 'audit'));
    await writeFile(join(folder, 'audit/audit.jsonl'), `${JSON.stringify(entry('whole'))}\n{"time":"cut`);
    const log = open();
    log.append(entry('next'));
    assert.deepEqual(
      (await log.entries()).map(({ title }) => title),
      ['whole', 'next'],
    );
  });

  it('buffers records that cannot be written, warns once, and writes them later', async () => {
    const [warnings, told]: [string[], unknown[]] = [[], []];
    const subscription = onDidLoseData(({ file, lost, unsaved }) => told.push([file, lost, typeof unsaved]));
    const at = join(folder, 'taken');
    await writeFile(at, 'a file where the folder should be');
    const log = open({ at, log: { ...nullLogger, warn: (_tag, message) => void warnings.push(message) } });
    log.append(entry('one'));
    log.append(entry('two'));
    assert.equal((await log.entries()).length, 2);
    subscription.dispose();
    assert.equal(warnings.length, 1);
    assert.deepEqual(told, [[at, 'decisions in the audit log', 'string']]);
    await rm(at);
    log.append(entry('three'));
    await log.flush();
    assert.deepEqual(
      (await open({ at }).entries()).map(({ title }) => title),
      ['one', 'two', 'three'],
    );
  });

  it('exports everything as JSON lines', async () => {
    const log = open();
    log.append(entry('one', { title: 'a\u202eb\u2028', arguments: { text: 'x'.repeat(10_000) } }));
    const path = join(folder, 'export.jsonl');
    await log.export(path);
    const text = await readFile(path, 'utf8');
    assert.doesNotMatch(text, /[\p{Cf}\u2028]/u);
    const lines = text.trimEnd().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      await log.entries(),
    );
    assert.ok((lines[0]?.length ?? 0) < 5000);
  });
});
