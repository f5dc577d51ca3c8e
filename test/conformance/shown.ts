import type { SessionState } from '../../src/shared/state/sessionState';
import { render } from '../replay/render';

/** What a session shows beside what the person has typed: a script would be mistaken for what it does. */
export function shown(state: SessionState): string {
  const blocks = render(state).split(/\n(?=\[)/);
  return blocks.filter((block) => !block.startsWith('[user]')).join('\n');
}
