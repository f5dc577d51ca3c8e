import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { entriesFrom, entryAt } from '../../src/shared/state/entryPages';
import type { TestAgent } from '../agents/catalog';
import type { AgentRun } from './agentRun';
import { agentText } from './agentRun';

const FILES = {
  // Without a project file a language server knows only open files.
  'tsconfig.json': '{ "compilerOptions": { "strict": true, "noEmit": true } }\n',
  'shapes.ts': 'export function areaOf(side: number): number {\n  return side * side;\n}\n',
  'use.ts': "import { areaOf } from './shapes';\n\nexport const one = areaOf(1);\n",
  'wrong.ts': "export const count: number = 'three';\n",
};
/** TypeScript's diagnostic for `wrong.ts`. */
const PROBLEM = "Type 'string' is not assignable to type 'number'";

/**
 * The model calls the editor's tools through the agent: language server results reach it, and an approved rename changes all
 * files, is under review and can be undone.
 * @returns Complaints.
 */
export async function playTools(run: AgentRun, agent: TestAgent): Promise<readonly string[]> {
  if (agent.quirks.ignoresServers) return ignores(run);
  const folder = basename(run.folder);
  await fill(run.folder);
  const person = allowsAll(run);
  const unknown = await listProblems(run);
  const place = { path: `${folder}/shapes.ts`, symbol: 'areaOf', new_name: 'squareOf' };
  await run.send(`mcp refactor rename ${JSON.stringify(place)}`);
  person.leave();
  const answer = agentText(run.session.state);
  return [
    !answer.includes('FINAL ok') && `the model's last text is missing: ${answer}`,
    ...unknown,
    // As text or as structured data of the result.
    !/Renamed areaOf to squareOf|applied\\*":true/.test(run.modelBodies().at(-1) ?? '') &&
      'the result of the rename is missing',
    ...(await isRenamed(run, 'squareOf')),
    ...person.problems(),
    ...(await isUndone(run)),
  ].filter((problem) => problem !== false);
}

/**
 * The model calls one editor tool through the agent: language server results reach it.
 * @returns Complaints.
 */
export async function playProblems(run: AgentRun): Promise<readonly string[]> {
  await fill(run.folder);
  const person = allowsAll(run);
  const unknown = await listProblems(run);
  person.leave();
  return unknown;
}

async function fill(folder: string): Promise<void> {
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(folder, name), text);
}

async function listProblems(run: AgentRun): Promise<string[]> {
  const file = `${basename(run.folder)}/wrong.ts`;
  // An earlier session of the same agent may have listed problems.
  const earlier = run.server.requests.length;
  const knows = (): boolean =>
    run.server.requests.slice(earlier).some(({ body }) => JSON.stringify(body).includes(PROBLEM));
  // Some agents connect to the servers late, and a language server that is still loading must be asked again.
  for (let tries = 5; tries > 0 && !knows(); tries--) {
    await run.send(`mcp problems list ${JSON.stringify({ paths: [file] })}`);
  }
  return knows() ? [] : [`the diagnostics did not reach the model: ${agentText(run.session.state)}`];
}

/** Known limitation: the agent ignores the servers. Fails once it uses them. */
async function ignores(run: AgentRun): Promise<string[]> {
  await run.send('say Nothing to call.');
  const offered = run.server.requests.flatMap(({ model }) => model?.tools.map(({ name }) => name) ?? []);
  return offered.filter((name) => name.includes('problems')).map((name) => `it offers ${name}`);
}

/** Answers every permission request with its first allow option, and records the requests. */
function allowsAll({ session }: AgentRun): { leave(): void; problems(): string[] } {
  const answered = new Set<string>();
  const subscription = session.onDidDispatch(() => {
    for (const index of session.state.waiting) {
      const entry = entryAt(session.state.entries, index);
      if (entry?.kind !== 'permission' || answered.has(entry.permissionId)) continue;
      answered.add(entry.permissionId);
      const option = entry.options.find(({ kind }) => kind === 'allow_once');
      queueMicrotask(() => session.userRequests.answer(entry.permissionId, option?.optionId ?? ''));
    }
  });
  const asked = (): string[] =>
    [...entriesFrom(session.state.entries)].flatMap(([, entry]) => (entry.kind === 'permission' ? [entry.title] : []));
  return {
    leave: () => subscription.dispose(),
    problems: () => {
      // The agent's own request names the symbol only, so its approval does not count for Parley's request, which shows the files.
      const ours = asked().filter((title) => title.startsWith('Rename areaOf to squareOf in 2 files'));
      return ours.length === 1 ? [] : [`Parley asked ${ours.length} times: ${asked().join(' | ')}`];
    },
  };
}

async function isRenamed({ folder }: AgentRun, name: string): Promise<string[]> {
  const shapes = await readFile(join(folder, 'shapes.ts'), 'utf8');
  const use = await readFile(join(folder, 'use.ts'), 'utf8');
  return [
    !shapes.includes(`function ${name}(`) && `shapes.ts is ${shapes}`,
    !(use.includes(`import { ${name} }`) && use.includes(`= ${name}(1)`)) && `use.ts is ${use}`,
  ].filter((problem) => problem !== false);
}

async function isUndone(run: AgentRun): Promise<string[]> {
  const { engine } = run.extension;
  const { review } = engine;
  await engine.flush();
  const { id } = run.session;
  const paths = review.files(id).map(({ path }) => basename(path));
  if (paths.toSorted().join() !== 'shapes.ts,use.ts') return [`under review are ${paths.join() || 'no files'}`];
  const { problems } = await review.undoAll(id);
  return [...problems.map(({ message }) => message), ...(await isRenamed(run, 'areaOf'))];
}
