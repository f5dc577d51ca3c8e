import type { VNode } from 'preact';
import { options } from 'preact';
import { hasControls, replaceControls } from '../markdown/normalizeText';

/** Attributes that are displayed or read by screen readers. */
const READ = ['title', 'aria-label', 'aria-description', 'alt', 'placeholder'];

type Props = Record<string, unknown>;

/**
 * Makes control characters and bidirectional formatting visible in all texts of components ("Trojan Source",
 * CVE-2021-42574). Central, because text of agents, servers and files reaches nearly every component. Content rendered
 * without components (Markdown, terminal output) escapes its own text.
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
    if (typeof text === 'string' && hasControls(text)) vnode.props = { ...vnode.props, [name]: toVisible(text) };
  }
}

/** Returns the same object when nothing changes. */
function withoutControls(child: unknown): unknown {
  if (typeof child === 'string') return hasControls(child) ? toVisible(child) : child;
  if (!Array.isArray(child)) return child;
  const cleaned = child.map(withoutControls);
  return cleaned.some((each, index) => each !== child[index]) ? cleaned : child;
}

/** Windows line ends count as line ends. */
function toVisible(text: string): string {
  return replaceControls(text.replaceAll('\r\n', '\n'));
}
