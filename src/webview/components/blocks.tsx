import type { JSX } from 'preact';
import { assertNever } from '../../base/assert';
import { t } from '../../base/l10n';
import type { Block } from '../../shared/content';
import { usePage } from './context';
import { Folded, prettyJson } from './folded';
import { Icon } from './icon';
import { Markdown } from './prose';

/** Image types that a browser shows and that cannot do anything else. */
const IMAGE_TYPE = /^image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)$/;

/** Content that came from an agent or goes to one. */
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
      return <Picture block={block} />;
    case 'audio':
      return <Chip icon="unmute" name="Audio" detail={`${block.mimeType}, ${dataSize(block.data)}`} />;
    case 'link':
      return <Chip icon="file" name={block.title ?? block.name} href={block.uri} detail={byteSize(block.size)} />;
    case 'resource':
      return <Resource block={block} />;
    case 'raw':
      return <Folded text={prettyJson(block.value)} />;
    default:
      return assertNever(block);
  }
}

function Picture({ block }: { block: Extract<Block, { type: 'image' }> }): JSX.Element {
  const { data, mimeType, uri } = block;
  if (data === '' || !IMAGE_TYPE.test(mimeType)) {
    return <Chip icon="file-media" name={uri ?? 'Image'} href={uri} detail={mimeType} />;
  }
  return <img class="picture" alt={uri ?? t('Image')} src={`data:${mimeType};base64,${data}`} />;
}

function Resource({ block }: { block: Extract<Block, { type: 'resource' }> }): JSX.Element {
  const detail = block.text === undefined ? `${block.mimeType ?? 'binary'}, ${dataSize(block.blob ?? '')}` : undefined;
  return (
    <div class="resource">
      <Chip icon="file" name={lastSegment(block.uri)} href={block.uri} detail={detail} />
      {block.text !== undefined && block.text !== '' && <Folded text={block.text} />}
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
  return uri.slice(uri.replace(/\/+$/, '').lastIndexOf('/') + 1) || uri;
}

function dataSize(base64: string): string {
  return byteSize(Math.floor((base64.length * 3) / 4)) ?? '';
}

function byteSize(bytes: number | undefined): string | undefined {
  if (bytes === undefined) return undefined;
  if (bytes < 1000) return t('{0} B', bytes);
  return bytes < 1_000_000 ? t('{0} kB', (bytes / 1000).toFixed(1)) : t('{0} MB', (bytes / 1_000_000).toFixed(1));
}
