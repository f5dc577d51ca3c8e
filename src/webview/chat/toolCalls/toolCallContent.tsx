import type { JSX } from 'preact';
import type { ToolContent } from '../../../shared/state/contentBlocks';
import { CollapsibleText, prettyJson } from '../../controls/collapsibleText';
import { Blocks } from '../text/blockViews';

export function ToolCallContent({ content }: { content: readonly ToolContent[] }): JSX.Element {
  return (
    <>
      {content.map((item, index) => {
        if (item.type === 'block') return <Blocks key={index} blocks={[item.block]} />;
        if (item.type === 'raw') return <CollapsibleText key={index} text={prettyJson(item.value)} />;
        return null;
      })}
    </>
  );
}
