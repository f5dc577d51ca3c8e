import type { SessionState } from '../../src/shared/state/sessionState';
import { render } from '../replay/render';

/** What a session shows besides the user's prompts: a script in a prompt would be mistaken for output. */
export function shown(state: SessionState): string {
  const blocks = render(state).split(/\n(?=\[)/);
  return blocks.filter((block) => !block.startsWith('[user]')).join('\n');
}
