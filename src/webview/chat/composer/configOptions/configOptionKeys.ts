import type { ConfigOption } from '../../../../shared/state/configOptionState';
import { optionCategory } from '../../../../shared/state/configOptionState';

/** VS Code's own key for modes and models; undefined for other options. */
export function configOptionKeyLabel(option: ConfigOption, mac: boolean): string | undefined {
  const which = optionCategory(option);
  if (which === 'mode') return mac ? '⌘.' : 'Ctrl+.';
  return which === 'model' ? (mac ? '⌥⌘.' : 'Ctrl+Alt+.') : undefined;
}

/** Opens a list from anywhere in the page. Closing by key restores the focus. */
export function handleConfigOptionKeys(
  event: KeyboardEvent,
  options: readonly ConfigOption[],
  mac: boolean,
  report: (error: unknown) => void,
): void {
  // With Option held, macOS reports the combined character.
  const isPeriod = event.key === '.' || (event.altKey && event.code === 'Period');
  if (!isPeriod || event.defaultPrevented || event.shiftKey || !(mac ? event.metaKey : event.ctrlKey)) return;
  const category = event.altKey ? 'model' : 'mode';
  const option = options.find((each) => each.kind === 'select' && optionCategory(each) === category);
  if (!option) return;
  event.preventDefault();
  import('./openConfigOption').then(({ openConfigOption }) => openConfigOption(option.id)).catch(report);
}
