// npm run docs:conformance: writes docs/conformance.md from the results of the suites. All cells are generated.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conformanceDocument } from './documentText';
import { resultsFolder, rootAbove } from './suite';

/** The document marks checks that did not run. */
function read(name: string, command: string, empty: unknown): unknown {
  const file = join(resultsFolder(), `${name}.json`);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  console.warn(`There is no ${file}: run "${command}" first, or its results are missing in the document.`);
  return empty;
}

try {
  const text = conformanceDocument({
    node: read('node', 'npm run test:conformance', []),
    host: read('host', 'npm test integration', []),
    remote: read('remote', 'npm run test:conformance', {}),
    agents: read('agents', 'npm run test:agents', {}),
  });
  writeFileSync(join(rootAbove(__dirname), 'docs', 'conformance.md'), text);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
