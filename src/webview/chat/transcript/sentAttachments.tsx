import type { JSX } from 'preact';
import { t } from '../../../base/l10n';
import { decodePercent } from '../../../base/text';
import { escapeInvisibleInline } from '../../../base/untrustedText';
import type { Block } from '../../../shared/state/contentBlocks';
import { Blocks } from '../text/blockViews';
import { usePage } from '../pageContext';
import { CollapsibleText } from '../../controls/collapsibleText';
import { Icon } from '../../controls/icon';

type SentText = Extract<Block, { type: 'resource' }> & { readonly text: string };

/** The attachments of a sent message as chips; those with text can be expanded. */
export function SentAttachments({ blocks }: { blocks: readonly Block[] }): JSX.Element {
  return (
    <div class="chips">
      {blocks.map((block, index) =>
        block.type === 'resource' && block.text !== undefined ? (
          <Sent key={index} block={{ ...block, text: block.text }} />
        ) : (
          <Blocks key={index} blocks={[block]} />
        ),
      )}
    </div>
  );
}

function Sent({ block }: { block: SentText }): JSX.Element {
  const { post } = usePage();
  const { uri, text } = block;
  return (
    <details class="sent-block">
      <summary class="chip" title={escapeInvisibleInline(uri)}>
        <Icon name="file" />
        <bdi class="chip-name">{nameIn(uri)}</bdi>
      </summary>
      <CollapsibleText text={text} />
      {uri.startsWith('file:') && (
        <button type="button" class="link-button" onClick={() => post({ type: 'openLink', href: uri })}>
          {t('Open file')}
        </button>
      )}
    </details>
  );
}

/** `src/app.ts#L3-L9` as `app.ts:3-9`. */
function nameIn(uri: string): string {
  const [, path = uri, first, last] = /^(.*?)(?:#L(\d+)-L(\d+))?$/.exec(uri) ?? [];
  const lines = first === last ? first : `${first}-${last}`;
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/^parley:/, '') || path;
  return escapeInvisibleInline(decodePercent(name) + (lines === undefined ? '' : `:${lines}`));
}
