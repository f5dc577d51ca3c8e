// node test/host/sample.mjs FOLDER: creates the folder for "Run Extension" (.vscode/launch.json), a fresh copy of the sample project.
import { checkPlace, reason } from './run.mjs';
import { replaceBySample } from './workspace.mjs';

checkPlace();
try {
  await replaceBySample(process.argv[2] ?? '');
} catch (error) {
  console.error(reason(error));
  process.exitCode = 1;
}
