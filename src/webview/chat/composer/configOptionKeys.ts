import type { ConfigOption } from '../../../shared/state/configOptionState';

/** The keys with which VS Code opens the lists of modes and models of its own chat; undefined for what has none. */
export function selectorKeyLabel({ category, source }: ConfigOption, mac: boolean): string | undefined {
  const which = category ?? source;
  if (which === 'mode') return mac ? '⌘.' : 'Ctrl+.';
  return which === 'model' ? (mac ? '⌥⌘.' : 'Ctrl+Alt+.') : undefined;
}

/** Opens a list from anywhere in the page. What closes it again by a key leads back to where the focus was. */
export function handleConfigOptionKeys(
  event: KeyboardEvent,
  selectors: readonly ConfigOption[],
  mac: boolean,
  report: (error: unknown) => void,
): void {
  // With Option held, macOS tells of the character that both give together.
  const isPeriod = event.key === '.' || (event.altKey && event.code === 'Period');
  if (!isPeriod || event.defaultPrevented || event.shiftKey || !(mac ? event.metaKey : event.ctrlKey)) return;
  const wanted = event.altKey ? 'model' : 'mode';
  const selector = selectors.find((one) => one.kind === 'select' && (one.category ?? one.source) === wanted);
  if (!selector) return;
  event.preventDefault();
  import('./openConfigOption').then(({ openConfigOption }) => openConfigOption(selector.id)).catch(report);
}
