import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { RpcError, rpcCodes } from '../../src/base/jsonRpc';
import { FileSystemFeature } from '../../src/client/fs/fileSystemFeature';
import { untilEvent } from '../kit/waiting';
import {
  AGENT_SESSION,
  call,
  makeInside,
  makeOutside,
  RecordingSession,
  remove,
  nullLogger,
  workspaceFolder,
} from './clientHelp';

describe('agent access to files', () => {
  let folder: string;
  let outside: string;
  let session: RecordingSession;
  let feature: FileSystemFeature;

  beforeEach(async () => {
    folder = await makeInside('files');
    outside = await makeOutside('files');
    session = new RecordingSession([workspaceFolder()]);
    feature = new FileSystemFeature(session.lookup(), nullLogger);
  });

  afterEach(async () => {
    feature.dispose();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    for (const document of vscode.workspace.textDocuments) {
      if (document.isDirty && document.uri.fsPath.startsWith(folder))
        assert.fail(`${document.uri.fsPath} was left unsaved`);
    }
    await remove(folder);
    await remove(outside);
  });

  const at = (name: string) => join(folder, name);
  const read = async (name: string, more: object = {}) => {
    const result = (await call(feature, 'fs/read_text_file', { path: at(name), ...more })) as { content: string };
    return result.content;
  };
  const write = (name: string, content: string) => call(feature, 'fs/write_text_file', { path: at(name), content });
  const disk = (name: string) => readFile(at(name), 'utf8');
  /** Opens a file in an editor. */
  const show = async (name: string, options: { encoding?: string } = {}) => {
    const uri = vscode.Uri.file(at(name));
    const { encoding } = options;
    const document = await (encoding === undefined
      ? vscode.workspace.openTextDocument(uri)
      : vscode.workspace.openTextDocument(uri, { encoding }));
    return vscode.window.showTextDocument(document);
  };
  /** Types as the user. */
  const type = async (editor: vscode.TextEditor, line: number, text: string) => {
    const { range } = editor.document.lineAt(line);
    assert(await editor.edit((edit) => edit.replace(range, text)));
    assert(editor.document.isDirty);
  };
  /** Reverts the user's unsaved text, so that nothing is left for the next test. */
  const discard = async (editor: vscode.TextEditor) => {
    await vscode.window.showTextDocument(editor.document);
    await vscode.commands.executeCommand('workbench.action.files.revert');
  };
  const refused = (code: number, pattern: RegExp) => (error: unknown) => {
    assert(error instanceof RpcError, String(error));
    assert.match(error.message, pattern);
    assert.equal(error.code, code);
    return true;
  };

  it('keep the mode of a file that the agent writes', async function () {
    if (process.platform === 'win32') this.skip();
    for (const mode of [0o600, 0o755, 0o640]) {
      const name = `mode-${mode}.txt`;
      await writeFile(at(name), 'one\n');
      await chmod(at(name), mode);
      await write(name, 'two\n');
      await show(name);
      await write(name, 'three\n');
      assert.deepEqual([(await stat(at(name))).mode & 0o7777, await disk(name)], [mode, 'three\n']);
    }
  });

  describe('reading', () => {
    it('returns the unsaved buffer', async () => {
      await writeFile(at('a.txt'), 'one\ntwo\n');
      const editor = await show('a.txt');
      await type(editor, 1, 'unsaved');
      assert.equal(await read('a.txt'), 'one\nunsaved\n');
      assert.equal(await disk('a.txt'), 'one\ntwo\n');
      await discard(editor);
    });

    it('returns the unsaved buffer also by another name of the file', async () => {
      await mkdir(at('real'));
      await symlink(at('real'), at('link'));
      await writeFile(at('real/a.txt'), 'one\n');
      const editor = await show('link/a.txt');
      await type(editor, 0, 'unsaved');
      assert.equal(await read('real/a.txt'), 'unsaved\n');
      await discard(editor);
    });

    it('returns the file on disk if the buffer is unchanged and older', async () => {
      await writeFile(at('a.txt'), 'old\n');
      await show('a.txt');
      await writeFile(at('a.txt'), 'written by the agent itself\n');
      assert.equal(await read('a.txt'), 'written by the agent itself\n');
    });

    it('counts lines from 1, includes line ends, and is empty beyond the end', async () => {
      await writeFile(at('a.txt'), 'one\r\ntwo\r\nthree');
      assert.equal(await read('a.txt', { line: 2, limit: 1 }), 'two\r\n');
      assert.equal(await read('a.txt', { line: 0, limit: 1 }), 'one\r\n');
      assert.equal(await read('a.txt', { line: 2 }), 'two\r\nthree');
      assert.equal(await read('a.txt', { limit: 2 }), 'one\r\ntwo\r\n');
      assert.equal(await read('a.txt', { line: 4, limit: 10 }), '');
      assert.equal(await read('a.txt', { line: null, limit: 'x' }), 'one\r\ntwo\r\nthree');
    });

    it('decodes like VS Code', async () => {
      await writeFile(at('utf16.txt'), Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('grüße\n', 'utf16le')]));
      await writeFile(at('bom.txt'), Buffer.from('\uFEFFgrüße\n'));
      await writeFile(at('latin1.txt'), Buffer.from('grüße\n', 'latin1'));
      assert.equal(await read('utf16.txt'), 'grüße\n');
      assert.equal(await read('bom.txt'), 'grüße\n');
      await show('latin1.txt', { encoding: 'iso88591' });
      assert.equal(await read('latin1.txt'), 'grüße\n');
    });

    it('distinguishes a missing file from an empty one', async () => {
      await writeFile(at('empty.txt'), '');
      assert.equal(await read('empty.txt'), '');
      await assert.rejects(read('missing.txt'), (error: RpcError) => {
        assert.equal(error.code, rpcCodes.resourceNotFound);
        assert.equal((error.data as { path: string }).path, at('missing.txt'));
        return true;
      });
      await assert.rejects(read('no/such/folder.txt'), refused(rpcCodes.resourceNotFound, /does not exist/));
    });

    it('rejects folders and binary files with a reason', async () => {
      await writeFile(at('a.bin'), Buffer.from([1, 2, 0, 0, 3, 0, 0, 0, 9]));
      await assert.rejects(call(feature, 'fs/read_text_file', { path: folder }), refused(-32602, /is a folder/));
      await assert.rejects(read('a.bin'), refused(-32602, /binary file/));
      await assert.rejects(write('a.bin', 'text'), refused(-32602, /binary file/));
    });

    it('reads parts of a file that is too large to read completely', async () => {
      const line = `${'x'.repeat(99)}\n`;
      await writeFile(at('large.txt'), line.repeat(250_000));
      await assert.rejects(read('large.txt'), refused(-32602, /too large.*20 MiB.*large\.txt/));
      assert.equal(await read('large.txt', { line: 200_000, limit: 2 }), line + line);
      assert.equal(await read('large.txt', { line: 250_001, limit: 2 }), '');
      await assert.rejects(write('large.txt', 'x'), refused(-32602, /larger than 20 MiB/));
      assert.equal((await stat(at('large.txt'))).size, 25_000_000);
    });

    it('asks before it reads a file outside the workspace or writes a protected one, and names the path in a rejection', async () => {
      const secret = join(outside, 'secret');
      await writeFile(secret, 'secret');
      await mkdir(at('.vscode'));
      session.ownAnswer = true;
      assert.deepEqual(await call(feature, 'fs/read_text_file', { path: secret }), { content: 'secret' });
      await call(feature, 'fs/write_text_file', { path: secret, content: 'changed' });
      await write('.vscode/settings.json', '{}');
      await write('plain.txt', 'x');
      assert.equal(await readFile(secret, 'utf8'), 'changed');
      session.ownAnswer = false;
      await assert.rejects(
        write('.vscode/settings.json', '{"a": 1}'),
        refused(-32602, /settings\.json was not written: the user rejected it/),
      );
      assert.equal(await readFile(at('.vscode/settings.json'), 'utf8'), '{}');
      const settings = `Write ${relative(workspaceFolder(), at('.vscode/settings.json'))}`;
      assert.deepEqual(session.ownQuestions, [`Read ${secret}`, `Write ${secret}`, settings, settings]);
    });

    it('returns nothing outside the workspace that the user rejects', async () => {
      await writeFile(join(outside, 'secret'), 'secret');
      await symlink(outside, at('out'));
      await symlink(join(outside, 'secret'), at('file-out'));
      const wanted = refused(-32602, /was not (?:read|written): the user rejected it/);
      for (const path of [join(outside, 'secret'), at('out/secret'), at('file-out'), at('../../../etc/passwd')]) {
        await assert.rejects(call(feature, 'fs/read_text_file', { path }), wanted, path);
        await assert.rejects(call(feature, 'fs/write_text_file', { path, content: 'x' }), wanted, path);
      }
      await assert.rejects(write('out/new', 'x'), wanted);
      assert.deepEqual(await readdir(outside), ['secret']);
      assert.equal(await readFile(join(outside, 'secret'), 'utf8'), 'secret');
      await assert.rejects(
        call(feature, 'fs/read_text_file', { path: 'a.txt' }),
        refused(-32602, /"path" must be an absolute/),
      );
    });

    it('names an unknown session', async () => {
      const params = { sessionId: 'other', path: at('a.txt'), content: '' };
      await assert.rejects(call(feature, 'fs/read_text_file', params), refused(-32602, /"other"/));
      await assert.rejects(call(feature, 'fs/write_text_file', params), refused(-32602, /"other"/));
    });
  });

  describe('writing', () => {
    it('keeps text typed right after the save as the user’s unsaved text', async () => {
      await writeFile(at('late.txt'), 'one\ntwo\n');
      const editor = await show('late.txt');
      const { workspace } = vscode;
      const { decode } = workspace;
      let typed = false;
      // The text on disk is decoded to verify that it was saved: the moment after the save.
      const late = async (...args: Parameters<typeof decode>): Promise<string> => {
        if (!typed && !editor.document.isDirty && editor.document.getText().startsWith('agent')) {
          typed = true;
          await type(editor, 1, 'two, typed');
        }
        return decode.apply(workspace, args);
      };
      Object.assign(workspace, { decode: late });
      try {
        await write('late.txt', 'agent\ntwo\n');
      } finally {
        Object.assign(workspace, { decode });
      }
      assert.ok(typed);
      assert.equal(await disk('late.txt'), 'agent\ntwo\n');
      assert.equal(editor.document.getText(), 'agent\ntwo, typed\n');
      await discard(editor);
    });

    it('creates files with their folders, byte for byte', async () => {
      assert.deepEqual(await write('new/deep/a.txt', 'one\r\ntwo'), {});
      assert.equal(await disk('new/deep/a.txt'), 'one\r\ntwo');
    });

    it('can be undone in the editor', async () => {
      await writeFile(at('a.txt'), 'one\ntwo\nthree\n');
      const { document } = await show('a.txt');
      await write('a.txt', 'one\n2\nthree\n');
      assert.equal(await disk('a.txt'), 'one\n2\nthree\n');
      assert(!document.isDirty);
      await vscode.commands.executeCommand('undo');
      assert.equal(document.getText(), 'one\ntwo\nthree\n');
      await document.save();
    });

    it('can be undone also if the file was not open', async () => {
      await writeFile(at('a.txt'), 'one\ntwo\n');
      await write('a.txt', 'one\n2\n');
      const { document } = await show('a.txt');
      assert.equal(document.getText(), 'one\n2\n');
      await vscode.commands.executeCommand('undo');
      assert.equal(document.getText(), 'one\ntwo\n');
      await document.save();
    });

    it('does not move the cursor', async () => {
      await writeFile(at('a.txt'), 'one\ntwo\nthree\n');
      const editor = await show('a.txt');
      editor.selection = new vscode.Selection(2, 3, 2, 3);
      await write('a.txt', 'one\ntwo\nnew\nthree\n');
      assert.deepEqual([editor.selection.active.line, editor.selection.active.character], [3, 3]);
    });

    it('preserves line ends, and leaves the final newline to the agent', async () => {
      await writeFile(at('crlf.txt'), 'one\r\ntwo\r\n');
      await write('crlf.txt', 'one\n2');
      assert.equal(await disk('crlf.txt'), 'one\r\n2');
      await writeFile(at('bare.txt'), 'one\ntwo');
      await write('bare.txt', 'one\r\n2\r\n');
      assert.equal(await disk('bare.txt'), 'one\n2\n');
      await write('bare.txt', 'one\n2');
      assert.equal(await disk('bare.txt'), 'one\n2');
    });

    it('preserves the encoding', async () => {
      await writeFile(at('utf16.txt'), Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('grüße\n', 'utf16le')]));
      await write('utf16.txt', 'größe\n');
      assert.deepEqual(
        await readFile(at('utf16.txt')),
        Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('größe\n', 'utf16le')]),
      );
      await writeFile(at('bom.txt'), Buffer.from('\uFEFFgrüße\n'));
      await write('bom.txt', 'größe\n');
      assert.deepEqual(await readFile(at('bom.txt')), Buffer.from('\uFEFFgröße\n'));
      await writeFile(at('latin1.txt'), Buffer.from('grüße\n', 'latin1'));
      await show('latin1.txt', { encoding: 'iso88591' });
      await write('latin1.txt', 'größe\n');
      assert.deepEqual(await readFile(at('latin1.txt')), Buffer.from('größe\n', 'latin1'));
    });

    const bytesOf = (name: string) => readFile(at(name));
    const LATIN1 = Buffer.from('Größe: offen\nÉtat: open\nnaïve «été»\n', 'latin1');

    for (const isOpen of [false, true]) {
      const where = isOpen ? 'in an open file' : 'in a closed file';

      it(`changes only the word of the agent ${where}, whatever its bytes`, async () => {
        const files: Record<string, Buffer> = {
          latin1: LATIN1,
          mixed: Buffer.from('a\r\nopen\nb\r\nc'),
          reversed: Buffer.from('a\nopen\r\nb\nc\n'),
          tsv: Buffer.from('a\tx\ry\nopen\tz\n'),
          mac: Buffer.from('a\ropen\rb\r'),
          marked: Buffer.from('\uFEFFopen ü\r\nb\n'),
          utf16: Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('open ü\n', 'utf16le')]),
          bigEndian: Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from('open ü\n', 'utf16le').swap16()]),
          unmarked16: Buffer.from('this is open text\nwith lines\n', 'utf16le'),
        };
        for (const [name, before] of Object.entries(files)) {
          await writeFile(at(name), before);
          if (isOpen) await show(name);
          const text = await read(name);
          assert.deepEqual(await write(name, text.replace('open', 'closed')), {}, name);
          const wide = ['utf16', 'unmarked16'].includes(name) ? 'utf16le' : 'latin1';
          const expected =
            name === 'bigEndian'
              ? Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from('closed ü\n', 'utf16le').swap16()])
              : Buffer.from(before.toString(wide).replace('open', 'closed'), wide);
          assert.deepEqual(await bytesOf(name), expected, name);
          assert(
            vscode.workspace.textDocuments.every(({ uri, isDirty }) => !isDirty || uri.scheme !== 'file'),
            name,
          );
        }
      });

      it(`changes nothing ${where} if its text would lose bytes, and says so`, async () => {
        const files = {
          'stray.txt': Buffer.concat([Buffer.from('über open\n'), Buffer.from([0xff]), Buffer.from(' größer\n')]),
          'cyrillic.txt': Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x20, 0x6f, 0x6b, 0x0a]),
        };
        for (const [name, before] of Object.entries(files)) {
          await writeFile(at(name), before);
          if (isOpen) await show(name);
          await assert.rejects(read(name), refused(rpcCodes.invalidParams, /is not UTF-8.*files\.encoding/));
          await assert.rejects(
            write(name, 'closed\n'),
            refused(rpcCodes.invalidParams, /is not UTF-8.*files\.encoding/),
          );
          assert.deepEqual(await bytesOf(name), before);
        }
      });
    }

    it('refuses characters that the encoding of a file lacks', async () => {
      await writeFile(at('latin1.txt'), LATIN1);
      const text = await read('latin1.txt');
      await assert.rejects(write('latin1.txt', `${text}→\n`), /windows1252 lacks a character/);
      assert.deepEqual(await bytesOf('latin1.txt'), LATIN1);
      const config = vscode.workspace.getConfiguration('files');
      await config.update('encoding', 'windows1252', vscode.ConfigurationTarget.Workspace);
      try {
        await assert.rejects(write('new.txt', '→\n'), /new\.txt cannot be written: .*lacks a character/);
        await assert.rejects(stat(at('new.txt')), /ENOENT/);
        await write('new.txt', 'größe\n');
        assert.deepEqual(await bytesOf('new.txt'), Buffer.from('größe\n', 'latin1'));
      } finally {
        await config.update('encoding', undefined, vscode.ConfigurationTarget.Workspace);
      }
    });

    it('writes one byte order mark, and removes the one that the agent wrote', async () => {
      await writeFile(at('bom.txt'), '\uFEFFone\n');
      await write('bom.txt', '\uFEFFtwo\n');
      assert.deepEqual(await bytesOf('bom.txt'), Buffer.from('\uFEFFtwo\n'));
      await write('bom.txt', 'three\n');
      assert.deepEqual(await bytesOf('bom.txt'), Buffer.from('three\n'));
      await write('bom.txt', '\uFEFFthree\n');
      assert.deepEqual(await bytesOf('bom.txt'), Buffer.from('\uFEFFthree\n'));
      await write('new.txt', '\uFEFFone\n');
      assert.deepEqual(await bytesOf('new.txt'), Buffer.from('\uFEFFone\n'));
    });

    it('changes line ends if the agent saw them and changes nothing else', async () => {
      await writeFile(at('crlf.txt'), 'one\r\ntwo\r\n');
      await write('crlf.txt', (await read('crlf.txt')).replaceAll('\r\n', '\n'));
      assert.equal(await disk('crlf.txt'), 'one\ntwo\n');
    });

    it('leaves blanks and the final newline to the agent, whatever the settings of the save', async () => {
      const config = vscode.workspace.getConfiguration('files');
      const names = ['insertFinalNewline', 'trimTrailingWhitespace', 'trimFinalNewlines'];
      for (const name of names) await config.update(name, true, vscode.ConfigurationTarget.Workspace);
      try {
        await writeFile(at('a.txt'), 'one\n');
        await write('a.txt', 'one  \ntwo');
        assert.equal(await disk('a.txt'), 'one  \ntwo');
        await write('a.txt', 'one  \ntwo\n\n\n');
        assert.equal(await disk('a.txt'), 'one  \ntwo\n\n\n');
      } finally {
        for (const name of names) await config.update(name, undefined, vscode.ConfigurationTarget.Workspace);
      }
    });

    it('keeps mixed line ends of a file with unsaved text', async () => {
      await writeFile(at('mixed.txt'), 'one\r\ntwo\nthree\r\nfour\n');
      const editor = await show('mixed.txt');
      await read('mixed.txt');
      await type(editor, 3, 'by the person');
      await write('mixed.txt', 'one\r\n2\nthree\r\nfour\n');
      assert.equal(await disk('mixed.txt'), 'one\r\n2\nthree\r\nby the person\n');
      assert(!editor.document.isDirty);
    });

    it('merges with unsaved text of the user', async () => {
      await writeFile(at('a.txt'), 'one\ntwo\nthree\nfour\nfive\n');
      const editor = await show('a.txt');
      await read('a.txt');
      await type(editor, 0, 'by the person');
      await write('a.txt', 'one\ntwo\nthree\nby the agent\nfive\n');
      assert.equal(await disk('a.txt'), 'by the person\ntwo\nthree\nby the agent\nfive\n');
      assert.equal(editor.document.getText(), await disk('a.txt'));
      assert(!editor.document.isDirty);
      // The agent does not know that text yet and continues with its own.
      await write('a.txt', 'one\ntwo\nthree\nby the agent\nfive, too\n');
      assert.equal(await disk('a.txt'), 'by the person\ntwo\nthree\nby the agent\nfive, too\n');
    });

    it('merges with text that the user saved after the agent had read the file', async () => {
      await writeFile(at('a.txt'), 'one\ntwo\nthree\n');
      await read('a.txt');
      const editor = await show('a.txt');
      await type(editor, 0, 'by the person');
      assert(await editor.document.save());
      await write('a.txt', 'one\ntwo\nby the agent\n');
      assert.equal(await disk('a.txt'), 'by the person\ntwo\nby the agent\n');
    });

    it('overwrites changes on disk that the user did not make', async () => {
      await writeFile(at('a.txt'), 'one\ntwo\nthree\n');
      const editor = await show('a.txt');
      await read('a.txt');
      await writeFile(at('a.txt'), 'one\ntwo\nby a command of the agent, longer\n');
      await write('a.txt', 'one\nby the agent\nthree\n');
      assert.equal(await disk('a.txt'), 'one\nby the agent\nthree\n');
      await untilEvent(
        vscode.workspace.onDidChangeTextDocument,
        () => editor.document.getText() === 'one\nby the agent\nthree\n',
      );
      assert(!editor.document.isDirty);
    });

    it('succeeds if the agent writes the same text on disk at the same time', async () => {
      await writeFile(at('a.txt'), 'one\n');
      const { document } = await show('a.txt');
      const rival = vscode.workspace.onWillSaveTextDocument((event) => {
        if (event.document === document) event.waitUntil(writeFile(at('a.txt'), 'one\nand more\n'));
      });
      try {
        await write('a.txt', 'one\nand more\n');
      } finally {
        rival.dispose();
      }
      assert.equal(await disk('a.txt'), 'one\nand more\n');
      assert.equal(document.getText(), 'one\nand more\n');
      assert(!document.isDirty);
    });

    it('keeps unsaved text also if the agent wrote the file itself before asking', async () => {
      await writeFile(at('a.txt'), 'one\ntwo\nthree\n');
      const editor = await show('a.txt');
      await read('a.txt');
      await type(editor, 0, 'by the person');
      await writeFile(at('a.txt'), 'one\ntwo\nby the agent\n');
      await write('a.txt', 'one\ntwo\nby the agent\n');
      assert.equal(await disk('a.txt'), 'by the person\ntwo\nby the agent\n');
      assert.equal(editor.document.getText(), 'by the person\ntwo\nby the agent\n');
      assert(!editor.document.isDirty);
    });

    it('changes neither buffer nor disk if another program wrote the file while the user typed', async () => {
      await writeFile(at('a.txt'), 'one\ntwo\nthree\n');
      const editor = await show('a.txt');
      await read('a.txt');
      await type(editor, 0, 'by the person');
      await writeFile(at('a.txt'), 'all is different now\n');
      await assert.rejects(write('a.txt', 'one\ntwo\nby the agent\n'), /a\.txt could not be saved/);
      assert.equal(await disk('a.txt'), 'all is different now\n');
      assert.equal(editor.document.getText(), 'by the person\ntwo\nthree\n');
      assert(editor.document.isDirty);
      await discard(editor);
    });

    it('restores a deleted file with its unsaved text', async () => {
      await writeFile(at('a.txt'), 'one\ntwo\n');
      const editor = await show('a.txt');
      await read('a.txt');
      await type(editor, 0, 'by the person');
      await remove(at('a.txt'));
      assert.equal(await read('a.txt'), 'by the person\ntwo\n');
      await write('a.txt', 'by the person\nby the agent\n');
      assert.equal(await disk('a.txt'), 'by the person\nby the agent\n');
      assert(!editor.document.isDirty);
    });

    it('writes nothing if user and agent changed the same lines, and reports that to both', async () => {
      await writeFile(at('a.txt'), 'one\ntwo\nthree\n');
      const editor = await show('a.txt');
      await read('a.txt');
      await type(editor, 1, 'by the person');
      await assert.rejects(write('a.txt', 'one\nby the agent\nthree\n'), (error: RpcError) => {
        assert.match(error.message, /line 2.*Nothing was written/);
        assert.deepEqual(error.data, { path: at('a.txt'), reason: 'conflict', lines: 'line 2' });
        return true;
      });
      assert.equal(editor.document.getText(), 'one\nby the person\nthree\n');
      assert(editor.document.isDirty);
      assert.equal(await disk('a.txt'), 'one\ntwo\nthree\n');
      const [notice] = session.actions;
      assert(notice?.type === 'noticeShown' && notice.severity === 'warning');
      assert.match(notice.text ?? '', /a\.txt.*line 2/);
      // After reading the file again the agent may overwrite it.
      await read('a.txt');
      await write('a.txt', 'one\nby both\nthree\n');
      assert.equal(await disk('a.txt'), 'one\nby both\nthree\n');
    });

    it('compares with the file on disk if the agent has never read it through Parley', async () => {
      await writeFile(at('a.txt'), 'one\ntwo\nthree\n');
      const editor = await show('a.txt');
      await type(editor, 0, 'by the person');
      await write('a.txt', 'one\ntwo\nby the agent\n');
      assert.equal(await disk('a.txt'), 'by the person\ntwo\nby the agent\n');
    });

    it('keeps the order of writes to a file', async () => {
      await writeFile(at('a.txt'), 'start\n');
      const texts = Array.from({ length: 8 }, (_, index) => `text ${index}\n`.repeat(index + 1));
      const results = await Promise.all([...texts.map((text) => write('a.txt', text)), read('a.txt')]);
      assert.equal(results.at(-1), texts.at(-1));
      assert.equal(await disk('a.txt'), texts.at(-1));
    });

    it('reports a file that is read-only in VS Code, and reverts the buffer', async () => {
      await writeFile(at('locked.txt'), 'one\ntwo\n');
      const config = vscode.workspace.getConfiguration('files');
      await config.update('readonlyInclude', { '**/locked.txt': true }, vscode.ConfigurationTarget.Workspace);
      try {
        const { document } = await show('locked.txt');
        await assert.rejects(write('locked.txt', 'changed\n'), /locked\.txt.*(could not be saved|cannot be edited)/);
        assert.equal(document.getText(), 'one\ntwo\n');
        assert.equal(await disk('locked.txt'), 'one\ntwo\n');
        assert(!document.isDirty);
      } finally {
        await config.update('readonlyInclude', undefined, vscode.ConfigurationTarget.Workspace);
      }
    });

    it('reports a file system that rejects writes', async () => {
      // Root could write anywhere else.
      if (process.platform !== 'linux') return;
      const other = new RecordingSession(['/proc/self']);
      const files = new FileSystemFeature(other.lookup(), nullLogger);
      const path = '/proc/self/new-folder/new.txt';
      const error = await call(files, 'fs/write_text_file', { sessionId: AGENT_SESSION, path, content: 'x' }).catch(
        (reason: unknown) => reason,
      );
      assert(error instanceof RpcError);
      assert.match(error.message, /\/proc\/self\/new-folder\/new\.txt/);
      files.dispose();
    });

    it('reports a full disk, and changes neither file nor buffer', async function test() {
      await mkdir(at('small'));
      try {
        // Needs root on Linux: only a mounted file system gives a real full disk.
        await promisify(execFile)('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', at('small')]);
      } catch {
        this.skip();
      }
      try {
        const before = 'before\n'.repeat(1000);
        await writeFile(at('small/a.txt'), before);
        const { document } = await show('small/a.txt');
        const large = 'larger than the disk\n'.repeat(10_000);
        await assert.rejects(write('small/a.txt', large), /small\/a\.txt could not be saved/);
        assert.equal(await disk('small/a.txt'), before);
        assert.equal(document.getText(), before);
        assert(!document.isDirty);
        await assert.rejects(write('small/new/b.txt', large), /small\/new\/b\.txt cannot be written: the disk is full/);
        assert.deepEqual(await readdir(at('small')), ['a.txt']);
        await write('small/a.txt', 'fits\n');
        assert.equal(await disk('small/a.txt'), 'fits\n');
      } finally {
        await vscode.commands.executeCommand('workbench.action.closeAllEditors');
        await promisify(execFile)('umount', ['--lazy', at('small')]);
      }
    });

    it('leaves on disk what the agent sent, not what a formatter makes of it', async () => {
      await writeFile(at('a.txt'), 'one\n');
      const { document } = await show('a.txt');
      const formatter = vscode.workspace.onWillSaveTextDocument((event) => {
        if (event.document !== document) return;
        event.waitUntil(Promise.resolve([vscode.TextEdit.insert(new vscode.Position(0, 0), '// formatted\n')]));
      });
      try {
        await write('a.txt', 'two\n');
      } finally {
        formatter.dispose();
      }
      assert.equal(await disk('a.txt'), 'two\n');
      assert.equal(document.getText(), 'two\n');
      assert(!document.isDirty);
    });

    it('writes a notebook on disk, but not over unsaved cells', async () => {
      const cell = (source: string) =>
        JSON.stringify({
          cells: [{ cell_type: 'code', source: [source], metadata: {}, outputs: [], execution_count: null }],
          metadata: {},
          nbformat: 4,
          nbformat_minor: 5,
        });
      await writeFile(at('a.ipynb'), cell('1'));
      const notebook = await vscode.workspace.openNotebookDocument(vscode.Uri.file(at('a.ipynb')));
      await vscode.window.showNotebookDocument(notebook);
      await write('a.ipynb', cell('2'));
      assert.equal(await disk('a.ipynb'), cell('2'));
      await untilEvent(
        vscode.workspace.onDidChangeNotebookDocument,
        () => notebook.cellAt(0).document.getText() === '2',
      );
      const edit = new vscode.WorkspaceEdit();
      edit.insert(notebook.cellAt(0).document.uri, new vscode.Position(0, 0), 'unsaved ');
      await vscode.workspace.applyEdit(edit);
      await untilEvent(
        vscode.window.tabGroups.onDidChangeTabs,
        () => vscode.window.tabGroups.activeTabGroup.activeTab?.isDirty === true,
      );
      await assert.rejects(write('a.ipynb', cell('3')), /unsaved changes.*jupyter-notebook/);
      assert.equal(await disk('a.ipynb'), cell('2'));
      await vscode.commands.executeCommand('workbench.action.files.revert');
    });
  });
});
