import type { JSX } from 'preact';
import { splitPath } from './toolCallTitle';

interface PathNameProps {
  /** The displayed path. */
  readonly label: string;
  /** Text after the name, such as a line number. */
  readonly suffix?: string;
}

/**
 * The base name, then the folder, muted and cut first. Used inside a button whose name is the whole path: the text in the DOM is the path,
 * for copying and Find.
 */
export function PathName({ label, suffix = '' }: PathNameProps): JSX.Element {
  const { name, folder } = splitPath(label);
  return (
    <span class="path-parts" aria-hidden="true">
      {folder !== '' && (
        <bdi class="path-folder">
          {folder}
          <span class="path-separator">{label.slice(folder.length, -name.length)}</span>
        </bdi>
      )}
      <bdi class="path-name">
        {name}
        {suffix}
      </bdi>
    </span>
  );
}
