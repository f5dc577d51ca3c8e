import type { JSX } from 'preact';
import { assertNever } from '../../../base/assert';
import { t } from '../../../base/l10n';
import type { Block } from '../../../shared/state/contentBlocks';
import { extensionOf } from '../../../shared/text/codeFenceInfo';
import { formatBytes } from '../../../shared/text/formatBytes';
import { CollapsibleText, prettyJson } from '../../controls/collapsibleText';
import { Icon } from '../../controls/icon';
import { lazyComponent } from '../lazyComponent';
import { usePage } from '../pageContext';
import { Markdown } from './markdownText';

const CodeText = lazyComponent(async () => (await import('./codeText')).CodeText);
const DataChip = lazyComponent(async () => (await import('./media')).DataChip);
const Picture = lazyComponent(async () => (await import('./media')).Picture);
const AudioPlayer = lazyComponent(async () => (await import('./media')).AudioPlayer);

/** Content blocks from an agent or of a sent message. */
export function Blocks({ blocks }: { blocks: readonly Block[] }): JSX.Element {
  return (
    <>
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} />
      ))}
    </>
  );
}

function BlockView({ block }: { block: Block }): JSX.Element {
  switch (block.type) {
    case 'text':
      return <Markdown text={block.text} />;
    case 'image':
      return <PictureBlock block={block} />;
    case 'audio':
      return <SoundBlock block={block} />;
    case 'link':
      return (
        <Chip
          icon="file"
          name={block.title ?? (block.uri.startsWith('file:') ? lastSegment(block.name) : block.name)}
          href={block.uri}
          detail={block.size === undefined ? undefined : formatBytes(block.size)}
        />
      );
    case 'resource':
      return <Resource block={block} />;
    case 'raw':
      return <CollapsibleText text={prettyJson(block.value)} />;
    default:
      return assertNever(block);
  }
}

function PictureBlock({ block }: { block: Extract<Block, { type: 'image' }> }): JSX.Element {
  const { data, mimeType, uri } = block;
  const name = uri ?? t('Image');
  const chip = <Chip icon="file-media" name={name} href={uri} detail={mimeType} />;
  return <Picture data={data} mimeType={mimeType} name={name} fallback={chip} />;
}

function SoundBlock({ block }: { block: Extract<Block, { type: 'audio' }> }): JSX.Element {
  const sound = { data: block.data, mimeType: block.mimeType, name: t('Audio') };
  return <AudioPlayer {...sound} fallback={<DataChip icon="unmute" {...sound} />} />;
}

/** An embedded document: highlighted text, or an image. */
function Resource({ block }: { block: Extract<Block, { type: 'resource' }> }): JSX.Element {
  const { uri, text, blob, mimeType = 'application/octet-stream' } = block;
  const name = lastSegment(uri);
  return (
    <div class="resource">
      {blob === undefined && <Chip icon="file" name={name} href={uri} />}
      {text !== undefined && text !== '' && (
        <CodeText text={text} language={extensionOf(uri.replace(/[?#][^]*$/, ''))} />
      )}
      {blob !== undefined && (
        <Picture
          data={blob}
          mimeType={mimeType}
          name={name}
          fallback={<DataChip icon="file-binary" data={blob} mimeType={mimeType} name={name} />}
        />
      )}
    </div>
  );
}

interface ChipProps {
  readonly icon: string;
  readonly name: string;
  readonly href?: string | undefined;
  readonly detail?: string | undefined;
}

function Chip({ icon, name, href, detail }: ChipProps): JSX.Element {
  const { post } = usePage();
  const inside = (
    <>
      <Icon name={icon} />
      <span class="chip-name">{name}</span>
      {detail !== undefined && <span class="muted">{detail}</span>}
    </>
  );
  if (href === undefined) return <span class="chip">{inside}</span>;
  return (
    <button type="button" class="chip" title={href} onClick={() => post({ type: 'openLink', href })}>
      {inside}
    </button>
  );
}

function lastSegment(uri: string): string {
  return uri.slice(uri.replace(/(?<!\/)\/+$/, '').lastIndexOf('/') + 1) || uri;
}
