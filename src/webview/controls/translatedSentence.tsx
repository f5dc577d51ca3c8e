import { Fragment } from 'preact';
import type { ComponentChildren, JSX } from 'preact';

/**
 * A translated sentence with elements in the positions of the translation.
 * @param text from `t` without arguments; `{0}`, `{1}` … are the parts
 */
export function TranslatedSentence({
  text,
  parts,
}: {
  text: string;
  parts: readonly ComponentChildren[];
}): JSX.Element {
  const chunks = text.split(/\{(\d+)\}/u);
  return (
    <>
      {chunks.map((chunk, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- the pieces of one text keep their places
        <Fragment key={index}>{index % 2 === 0 ? chunk : parts[Number(chunk)]}</Fragment>
      ))}
    </>
  );
}
