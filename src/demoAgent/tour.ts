import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DemoTurn } from './demoTurn';
import { demoFileIn } from './demoWorkspace';
import { editorTools } from './scenes/editorToolsScene';
import { edit } from './scenes/editScene';
import { read } from './scenes/readFileScene';
import type { Scene } from './scenes/scene';
import { isPossible, skipScene } from './scenes/scene';
import { run } from './scenes/terminalScene';

const SCENES: readonly Scene[] = [read, editorTools, edit, run];
const LAST_STEP = 'Sum up';

/** The whole demo: a thought, a plan, every scene that the client supports, and a summary of the results. */
export async function tour(turn: DemoTurn): Promise<void> {
  await turn.think(
    'A real agent would think here. I follow a script: read, ask before I change something, run a command, sum up.',
  );
  const scenes = SCENES.filter((scene) => scene !== editorTools || turn.session.servers.length > 0);
  const possible = scenes.filter((scene) => isPossible(turn, scene));
  const steps = [...possible.map((scene) => scene.step), LAST_STEP];
  const results = new Map<Scene, string>();
  await turn.plan(steps, 0);
  for (const scene of scenes.filter((each) => !isPossible(turn, each)))
    results.set(scene, await skipScene(turn, scene));
  for (const [index, scene] of possible.entries()) {
    results.set(scene, await scene.play(turn));
    await turn.plan(steps, index + 1);
  }
  await turn.streamMessage(summarize(turn, scenes, results));
  await turn.plan(steps, steps.length);
  await turn.suggest('Show me only the plan');
}

function summarize(turn: DemoTurn, scenes: readonly Scene[], results: ReadonlyMap<Scene, string>): string {
  const rows = scenes.map((scene) => `| ${scene.step} | ${results.get(scene) ?? ''} |`);
  return `## What just happened

| Step | Result |
| --- | --- |
${rows.join('\n')}

${tourText(turn, results)}

Next, you could

- see one part: send **plan**, **approve**, **read**, **tools**, **edit**, **ask**, **form**, **run**, **background** or **long**,
- add a real agent to your settings:

\`\`\`json
"parley.agents": {
  "My agent": { "command": "my-agent", "args": ["--acp"] }
}
\`\`\``;
}

function tourText(turn: DemoTurn, results: ReadonlyMap<Scene, string>): string {
  const path = demoFileIn(turn.session.cwd);
  const link = `[${basename(path)}](${pathToFileURL(path).href})`;
  const isDone = /^(created|changed)/.test(results.get(edit) ?? '');
  return isDone
    ? `The file that I wrote is ${link}.`
    : `No file was changed; with your permission it would have been \`${basename(path)}\`.`;
}
