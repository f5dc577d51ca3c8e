// npm run pictures: writes screenshots of the page to out/pictures. Each test/page/<name>.bench.ts is a separate program that does it.
import { runPrograms } from './programs.mjs';

process.exitCode = await runPrograms('page', process.argv.slice(2));
