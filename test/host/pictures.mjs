// npm run pictures: draws the page into out/pictures. Each test/page/<name>.bench.ts is a program of its own that does it.
import { runPrograms } from './programs.mjs';

process.exitCode = await runPrograms('page', process.argv.slice(2));
