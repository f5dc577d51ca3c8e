import type { JSX } from 'preact';
import type { ToolContent } from '../../../shared/state/contentBlocks';
import { Blocks } from '../transcript/blockViews';
import { Folded, prettyJson } from '../../controls/collapsibleText';

/** Blocks and unknown content of a tool call, in order. */
export function Details({ content }: { content: readonly ToolContent[] }): JSX.Element {
  return (
    <>
      {content.map((item, index) => {
        if (item.type === 'block') return <Blocks key={index} blocks={[item.block]} />;
        if (item.type === 'raw') return <Folded key={index} text={prettyJson(item.value)} />;
        return null;
      })}
    </>
  );
}
