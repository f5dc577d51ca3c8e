// Runs the integration tests in a real extension host: of a desktop VS Code if available, else of the VS Code server.
import { join } from 'node:path';
import { linkBuiltIns } from './builtIns.mjs';
import { disabledFeatures, flagForTests } from './chromium.mjs';
import { findDesktop } from './desktop.mjs';
import { saveDrawing } from './drawing.mjs';
import { printReport, readReport, reportFile } from './report.mjs';
import { root, run, withResolvers } from './run.mjs';
import { desktopEnvironment, quietSettings, writeSettings } from './settings.mjs';
import { startHost } from './window.mjs';
import { makeTemporaryFolder, makeWorkspace, removeFolder } from './workspace.mjs';

/**
 * Timeout of the whole run in milliseconds: a page whose extension host never starts reports nothing. Generous, because each test
 * has its own timeout: in parallel with the page and end-to-end tests, two slow cores once took half an hour.
 */
const limit = Number(process.env.HOST_TEST_TIMEOUT ?? 3_600_000);

const verbose = Boolean(process.env.VERBOSE);

/** For a window in a browser that nobody sees. */
const unseenSettings = {
  // As on a desktop: in a browser VS Code saves automatically after a second, which would save unsaved files of tests on a busy machine.
  'files.autoSave': 'off',
  // Otherwise the window is painted many times a second while an icon of the status bar turns.
  'workbench.statusBar.visible': false,
  // Tests in the extension host do not read these parts.
  'workbench.editor.showTabs': 'none',
  'workbench.editor.editorActionsLocation': 'hidden',
  'breadcrumbs.enabled': false,
  'editor.minimap.enabled': false,
  'editor.scrollbar.horizontal': 'hidden',
  'editor.scrollbar.vertical': 'hidden',
  'editor.overviewRulerBorder': false,
  'editor.stickyScroll.enabled': false,
  'editor.bracketPairColorization.enabled': false,
  'editor.matchBrackets': 'never',
  'editor.occurrencesHighlight': 'off',
  'editor.selectionHighlight': false,
  'editor.renderLineHighlight': 'none',
  'editor.colorDecorators': false,
  'editor.links': false,
  'scm.diffDecorations': 'none',
  'window.commandCenter': false,
  'workbench.activityBar.location': 'hidden',
  'workbench.layoutControl.enabled': false,
  // Otherwise VS Code's git extension starts several processes after each change of a file. Parley refreshes the state that it reads.
  'git.autorefresh': false,
  'git.decorations.enabled': false,
  'git.blame.statusBarItem.enabled': false,
  // One process of TypeScript instead of three.
  'typescript.tsserver.useSyntaxServer': 'never',
  'typescript.disableAutomaticTypeAcquisition': true,
};

/** Built-in extensions that only these tests use. */
const debuggerAndNotebooks = ['ms-vscode.js-debug', 'ipynb'];

/** A bench or a soak runs these tests to measure, as the window is for a user. */
const isMeasured = ['HOST_BENCH', 'PARLEY_SOAK_MINUTES'].some((name) => process.env[name] !== undefined);

const runFailed = 'VS Code ended the run as failed';

/** @returns {Promise<import('./report.mjs').Report>} */
export async function runIntegration() {
  const desktop = await findDesktop();
  console.log(`host: ${desktop.executable ?? `VS Code server (no desktop: ${desktop.reason})`}`);
  const folder = await makeTemporaryFolder('report');
  const workspace = await makeWorkspace();
  const file = reportFile(folder, 'host');
  const env = { HOST_TEST_REPORT: file, HOST_TEST_REPORTER: join(root, 'test/host/reporter.cjs'), ...passedOn() };
  try {
    const problems = desktop.executable
      ? await inDesktop(desktop, workspace, env, folder)
      : await inServer(workspace, env, join(folder, 'builtIns'));
    const report = readReport(file);
    printReport(report, { all: true });
    // VS Code fails the run because tests failed: not a second problem.
    const own = problems.filter((problem) => problem !== runFailed || report.failed === 0);
    return { ...report, problem: [report.problem, ...own].filter(Boolean).join('\n') || undefined };
  } finally {
    await workspace.dispose();
    await removeFolder(folder);
  }
}

/** Environment variables passed to the tests. */
function passedOn() {
  const names = ['MOCHA_GREP', 'VERBOSE', 'NODE_V8_COVERAGE', 'CI', 'PARLEY_AGENTS', 'HOST_BENCH'];
  names.push(...Object.keys(process.env).filter((name) => name.startsWith('PARLEY_SOAK')));
  return Object.fromEntries(names.filter((name) => process.env[name]).map((name) => [name, process.env[name]]));
}

async function inDesktop({ executable, display }, workspace, env, folder) {
  await writeSettings(join(folder, 'user', 'User'), quietSettings);
  const args = [
    workspace.folder,
    `--extensionDevelopmentPath=${root}`,
    `--extensionTestsPath=${join(root, 'out/test/integration/index')}`,
  ];
  args.push(
    '--disable-extensions',
    '--disable-workspace-trust',
    '--skip-welcome',
    '--skip-release-notes',
    '--disable-updates',
  );
  args.push(
    `--user-data-dir=${join(folder, 'user')}`,
    `--extensions-dir=${join(folder, 'extensions')}`,
    '--no-cached-data',
  );
  if (process.getuid?.() === 0) args.push('--no-sandbox');
  const [command, ...before] = [...display, executable];
  const { code, output } = await run(command, [...before, ...args], {
    env: { ...desktopEnvironment(), ...env },
    timeout: limit,
  });
  if (verbose || code < 0) console.log(output);
  return code === 0 ? [] : [runFailed];
}

async function inServer(workspace, env, builtIns) {
  await linkBuiltIns(builtIns, debuggerAndNotebooks);
  const flags = isMeasured ? [] : [disabledFeatures, flagForTests];
  const host = await startHost({ smokeDriver: true, env, settings: unseenSettings, builtIns }, flags);
  const problems = [];
  const log = [];
  try {
    problems.push(...(await inPage(host, workspace, log)));
  } finally {
    const left = await host.close();
    if (left.length > 0) problems.push(`left running after the window was closed:\n${left.join('\n')}`);
  }
  const all = [host.server.output(), ...log].join('\n');
  if (verbose) console.log(all);
  else if (problems.some((problem) => problem !== runFailed)) console.log(all.slice(-8000));
  return problems;
}

/** Opens the workbench in Chromium; VS Code reports the end of the tests. */
async function inPage({ server, browser }, workspace, log) {
  const { promise, resolve } = withResolvers();
  const timer = setTimeout(() => resolve([`the tests did not end within ${limit / 1000} s`]), limit);
  try {
    // Small and without animations: without a GPU, the page is drawn on cores that the tests need.
    const page = await browser.newPage({ viewport: { width: 1024, height: 640 }, reducedMotion: 'reduce' });
    if (!isMeasured) await page.addInitScript(saveDrawing, true);
    await page.exposeFunction('codeAutomationLog', (type, args) => {
      const line = `${type}: ${args.map(text).join(' ')}`;
      if (!line.includes('Could not locate the bindings file')) log.push(line);
    });
    await page.exposeFunction('codeAutomationExit', (code) => resolve(code === 0 ? [] : [runFailed]));
    page.on('crash', () => resolve(['the page crashed']));
    await page.goto(server.open(workspace.folder, payload(server)));
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}

function text(value) {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The workbench reads this only from a server with the smoke-test driver. */
function payload(server) {
  return [
    ['extensionDevelopmentPath', server.remote(root)],
    ['extensionTestsPath', server.remote(join(root, 'out/test/integration/index'))],
    ['skipWelcome', 'true'],
    ['enableProposedApi', ''],
  ];
}
