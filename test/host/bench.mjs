// npm run bench [name...]: measures. Each out/test/bench/<name>.bench.js is a program of its own that prints its table
// and ends with a code other than 0 when a budget is not kept.
import { runPrograms } from './programs.mjs';

process.exitCode = await runPrograms('bench', process.argv.slice(2));
