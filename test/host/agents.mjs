// npm run test:agents [-- agent … scenario …]: drives installed agents (test/agents/install.mjs) through the extension.
import { build } from './build.mjs';
import { prepare } from './prepare.mjs';

/** As in `npm test`, but hidden from the agents. */
const skipsFail = process.env.CI === 'true';

/**
 * Variables of this machine that agents may inherit; others (of CI, of an agent that runs this script) change the behavior of
 * some agents.
 */
const kept = new Set(
  'PATH HOME LANG LC_ALL USER LOGNAME SHELL TMPDIR TEMP TMP SystemRoot DISPLAY CHROMIUM_PATH VSCODE_TEST_HOST VERBOSE'.split(
    ' ',
  ),
);
for (const name of Object.keys(process.env))
  if (!kept.has(name) && !name.startsWith('PARLEY_') && !name.startsWith('HOST_')) delete process.env[name];

process.env.PARLEY_AGENTS = process.argv.slice(2).join(' ') || 'all';
process.env.MOCHA_GREP = 'real agents in the extension host';

const missing = Object.values(await prepare('root', 'chromium', 'host', 'agents'));
for (const why of missing) console.error(why);
if (missing.length > 0) process.exit(1);
await build('--tests');
const { runIntegration } = await import('./integration.mjs');
const { passed, failed, skipped, problem } = await runIntegration();
console.log(`${passed} passed, ${failed} failed, ${skipped} not installed`);
if (problem) console.log(problem);
if (skipsFail && skipped > 0) console.log('CI=true: what is skipped counts as failed.');
process.exitCode = failed > 0 || problem || (skipsFail && skipped > 0) ? 1 : 0;
