// npm run docs:permissions: writes the list of programs in docs/permissions.md, from the table in src/permissions/programs.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const home = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const { outputFiles } = await build({
  entryPoints: [join(home, 'test/unit/docs/programsPage.ts')],
  bundle: true,
  platform: 'node',
  format: 'esm',
  write: false,
});
const url = `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`;
const { PAGE, permissionsDocument } = await import(url);
writeFileSync(join(home, PAGE), permissionsDocument(home));
