import type { ToolEntry } from '../../../shared/state/toolCallState';
import { resultText, withoutFence } from './toolCallFields';

/** Output of an agent-owned command that is only reported as text. */
export function commandOutput(entry: ToolEntry): string | undefined {
  const { tool, content, waiting } = entry;
  if (tool !== 'execute' || waiting > 0 || content.some(({ type }) => type === 'terminal')) return undefined;
  const text = resultText(entry);
  return text === undefined || text.trim() === '' ? undefined : withoutFence(text).text;
}
