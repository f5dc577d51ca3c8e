// npm run package: dist/parley.vsix, one for all platforms.
import { statSync } from 'node:fs';
import { build } from './build.mjs';
import { prepare } from './prepare.mjs';
import { makeVsix } from './vsix.mjs';

await prepare('root');
await build('--package');
await makeVsix('dist/parley.vsix');
console.log(`dist/parley.vsix: ${(statSync('dist/parley.vsix').size / 1024).toFixed(0)} KiB`);
