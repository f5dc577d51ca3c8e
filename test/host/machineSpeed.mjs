// How slow this machine is now: goals in milliseconds were set on a machine that does a fixed piece of work in REFERENCE_MS.

/** Milliseconds of the machine of the goals: 2 × AMD EPYC without other work, Node 20. */
const REFERENCE_MS = 120;
const TRIES = 9;

/** @returns {number} 2 on a machine that takes twice as long as that of the goals; at least 1: timers and frames do not get faster */
export function slowness() {
  const times = Array.from({ length: TRIES }, timeWork);
  return Math.max(1, Math.min(...times) / REFERENCE_MS);
}

/** What Parley's host and page do most: JSON, sorting, text. */
function timeWork() {
  const rows = Array.from({ length: 80_000 }, (_, at) => ({ at, text: `line ${(at * 7919) % 20_011}` }));
  const startedAt = performance.now();
  const copies = JSON.parse(JSON.stringify(rows));
  copies.sort((one, other) => one.text.localeCompare(other.text, 'en'));
  copies.map(({ text }) => text.replace(/\d+/u, (digits) => `${digits.length}`)).join('');
  return performance.now() - startedAt;
}
