import type { JSX } from 'preact';
import { splitPath } from './toolCallTitle';

interface PathNameProps {
  /** The displayed path. */
  readonly label: string;
  /** Text after the name, such as a line number. */
  readonly suffix?: string;
}

/**
 * The base name, then the folder, muted and cut first. Used inside a button whose name is the whole path: the order in the DOM is that
 * of the path.
 */
export function PathName({ label, suffix = '' }: PathNameProps): JSX.Element {
  const { name } = splitPath(label);
  const folder = label.slice(0, label.length - name.length);
  return (
    <span class="path-parts" aria-hidden="true">
      {folder !== '' && <bdi class="path-folder">{folder}</bdi>}
      <bdi class="path-name">
        {name}
        {suffix}
      </bdi>
    </span>
  );
}
