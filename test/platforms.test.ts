import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Code that depends on the operating system is in `src/node` and in these files, with the reason. */
const PLACES: Readonly<Record<string, string>> = {
  'agent/process/launchPlan.ts': 'starts agents: batch files need cmd.exe',
  'agent/registry/agentInstalls.ts': 'chooses the distribution for this system',
  'agent/registry/archive/unpack.ts': 'makes programs executable; executable bit of archived files',
  'agent/registry/archive/unpackTarget.ts': 'names that Windows reserves',
  'agent/registry/distribution.ts': 'names this system in an error',
  'agent/registry/findOnPath.ts': 'searches programs',
  'base/pathText.ts': 'default of a parameter',
  'client/fs/resolvePath.ts': 'default of a parameter',
  'client/terminal/commandLine.ts': 'chooses the shell of a command line',
  'client/terminal/nodePty.ts': 'probes pseudo-terminals',
  'client/terminal/pipedCommand.ts': 'starts commands in their own process group',
  'client/terminal/terminalFeature.ts': 'variables are case-insensitive on Windows',
  'history/transcriptWriter.ts': 'narrows the mode of transcripts',
  'mcp/builtin/tasks/taskCommand.ts': 'chooses the shell of a task',
  'mcp/builtin/tasks/taskProcess.ts': 'starts tasks in their own process group',
  'mcp/transport/mcpOverStdio.ts': 'named pipe or socket',
  'mcp/userServers/serverLauncher.ts': 'searches programs',
  'permissions/permissionPolicy.ts': 'the shell that rules read',
  'review/git/fileModes.ts': 'mode of a deleted file',
  'review/storage/fileContent.ts': 'mode of a restored file',
  'review/tracking/modifiedFiles.ts': 'file names that fold case',
  'session/agents/agentSessionLists.ts': 'folders that fold case',
  'ui/awakeProgram.ts': 'keeps this system awake',
  'ui/pageEnvironment.ts': 'names of keys',
  'ui/registerKeepAwake.ts': 'keeps this system awake',
  'ui/systemNotifications/createSystemNotifications.ts': 'notifications of this system',
  'ui/systemNotifications/platformNotifier.ts': 'notifications of this system',
  'ui/traffic/registerTraffic.ts': 'names this system in a recording',
  'ui/worktrees/takeChanges.ts': 'mode of a taken file',
};

/** Checks the platform, or assumes POSIX: signals, modes, process groups, folders that only POSIX has. */
const DEPENDS = new RegExp(
  [
    /process\.(?:platform|kill|getuid|geteuid|umask)\b/,
    /\b(?:chmod|chown|lchown)(?:Sync)?\(/,
    /\bmode & 0o/,
    /['"`]SIG(?:TERM|KILL|INT|HUP|STOP|CONT)['"`]/,
    /['"`]\/(?:bin|usr|tmp|proc|etc|home|opt)\//,
    /env(?:\.|\[['"])HOME\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

/** Sets of names, not paths that are opened. */
const WORDS = ['permissions/', 'shared/', 'webview/', 'demoAgent/', 'replayAgent/', 'node/'];

describe('platforms', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /\.tsx?$/.test(file));
  const found = files.filter((file) => {
    const code = readFileSync(join('src', file), 'utf8').replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, '');
    return DEPENDS.test(code) && (file in PLACES || !WORDS.some((room) => file.startsWith(room)));
  });

  it('are checked only in src/node and in listed files', () => {
    assert.deepEqual(
      found.filter((file) => !(file in PLACES)),
      [],
      'move this to src/node, or name the place with its reason in test/platforms.test.ts',
    );
  });

  it('need every listed exception', () => {
    assert.deepEqual(
      Object.keys(PLACES).filter((file) => !found.includes(file)),
      [],
    );
  });
});

describe('programs of the tests', () => {
  it('are not named by a path of one system', () => {
    const found = readdirSync('test/page')
      .filter((name) => /\.m?[jt]s$/.test(name))
      .filter((name) => /\/usr\/bin\/chrom|CHROMIUM_PATH/.test(readFileSync(join('test', 'page', name), 'utf8')));
    assert.deepEqual(found, [], 'test/host/chromium.mjs finds Chromium');
  });
});
