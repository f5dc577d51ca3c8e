import type { VNode } from 'preact';
import { options } from 'preact';
import { hasControls, escapeInvisible } from '../markdown/normalizeText';

/** Attributes that are read out or shown. */
const READ = ['title', 'aria-label', 'aria-description', 'alt', 'placeholder'];

type Props = Record<string, unknown>;

/**
 * From here on no text that a component draws holds controls or characters that turn the reading order around ("Trojan Source",
 * CVE-2021-42574): they are shown as signs. In one place, for text of agents, servers and files comes to nearly every component.
 * What is drawn without components (Markdown, output of commands) sees to it by itself.
 */
export function showInvisibleEverywhere(): void {
  const before = options.vnode?.bind(options);
  options.vnode = (vnode) => {
    if (typeof vnode.type === 'string') clean(vnode);
    before?.(vnode);
  };
}

function clean(vnode: VNode<Props>): void {
  const { props } = vnode;
  const children = withoutControls(props['children']);
  if (children !== props['children']) vnode.props = { ...vnode.props, children } as VNode<Props>['props'];
  for (const name of READ) {
    const text = props[name];
    if (typeof text === 'string' && hasControls(text)) vnode.props = { ...vnode.props, [name]: shown(text) };
  }
}

/** The same object where there is nothing to change. */
function withoutControls(child: unknown): unknown {
  if (typeof child === 'string') return hasControls(child) ? shown(child) : child;
  if (!Array.isArray(child)) return child;
  const cleaned = child.map(withoutControls);
  return cleaned.some((each, index) => each !== child[index]) ? cleaned : child;
}

/** Line ends of Windows are line ends. */
function shown(text: string): string {
  return escapeInvisible(text.replaceAll('\r\n', '\n'));
}
