import type { FileUse } from './fileUse';
import type { OptionKind, ReadWords } from './options';
import { optionKinds, readWords } from './options';
import { pathWords } from './pathWords';
import type { FileFacts, Program } from './program';

/** Divides the words of a command into read and written ones. */
export function useOf(argv: readonly string[], program: FileFacts, words: ReadWords): FileUse {
  const { operands: meaning } = program;
  const isWriting = isWriter(program);
  const operands = meaning === 'text' ? [] : words.operands.map((index) => argv[index] ?? '');
  const of = (kind: OptionKind): string[] => words.values.flatMap((value) => (value.kind === kind ? [value.text] : []));
  const written = meaning === 'inOut' ? operands.slice(1) : isWriting ? operands : [];
  const read = meaning === 'inOut' ? operands.slice(0, 1) : isWriting ? [] : operands;
  const inOut = meaning === 'inOut' ? words.operands.slice(1) : [];
  const loose =
    program.anyOptions && meaning !== 'text' ? pathWords(argv.slice(1).filter((word) => word.startsWith('-'))) : [];
  const files = of('value').flatMap((text) => /^[^\s@]*@(.+)$/s.exec(text)?.slice(1) ?? []);
  const deep = belowOf(program, words);
  // Without a folder argument the command uses the working folder.
  const here = deep.below !== undefined && !isWriting && operands.length < 2 ? ['.'] : [];
  const writing = words.values.filter(({ kind }) => kind === 'write' || kind === 'folder' || kind === 'line');
  return {
    reads: [...read.flatMap(withParts), ...of('read').flatMap(withParts), ...files, ...loose, ...here],
    writes: [
      ...written,
      ...of('write'),
      ...of('folder'),
      ...(meaning === 'copy' ? copiedFiles(operands, of('write')) : []),
    ],
    folders: of('folder'),
    ...deep,
    ...(program.compares && { shows: { words: [...read, ...of('read')], below: 'direct' as const } }),
    ...((meaning === 'copy' || meaning === 'inOut') && { isCountSensitive: true }),
    unknown: words.unknown,
    named: [...writing.flatMap(({ indices }) => indices), ...inOut],
    changesUnnamedFiles: program.changesOtherFiles === true,
  };
}

function belowOf(program: FileFacts, { given, values }: ReadWords): Pick<FileUse, 'below' | 'only'> {
  const patterns = values.filter(({ kind }) => kind === 'filter').map(({ text }) => text);
  const only = patterns.filter((pattern) => !pattern.startsWith('!'));
  if (program.recursive && isWriter(program)) return { below: 'all' };
  const kinds = optionKinds(program);
  const isDeep = Array.from(given).some((name) => kinds.get(name) === 'deep');
  // rg includes dotfiles that a pattern names; folders have no extension.
  if (program.recursive)
    return only.length === 0
      ? { below: isDeep ? 'all' : 'shown' }
      : { below: only.every(hasEnding) && !isDeep ? 'files' : 'all', only };
  if (!isDeep) return {};
  // A leading exclusion includes the rest.
  return given.has('exclude') || given.has('exclude-from') || only.length === 0
    ? { below: 'all' }
    : { below: 'all', only };
}

function hasEnding(pattern: string): boolean {
  return /^(?!.*(?:^|\/)\.)[\w*/{},.-]*\*\.(?:\w+|\{[\w,]+\})$/.test(pattern);
}

function isWriter({ operands, changesOtherFiles }: FileFacts): boolean {
  return operands === 'write' || operands === 'copy' || changesOtherFiles === true;
}

/** `HEAD:.env` and `a=b` are not paths, but the part after the sign may be a path. */
function withParts(word: string): readonly string[] {
  return [word, ...pathWords([word]).filter((part) => part !== word)];
}

/** Words that are moved, or copied without following links, and the links that are made. */
export function movedLinks(
  argv: readonly string[],
  { keepsLinksWith, makesLinks }: Program,
  { operands, values, given }: ReadWords,
): Pick<FileUse, 'moved' | 'links'> {
  if (keepsLinksWith?.split(' ').some((option) => given.has(option)) === false) return {};
  const words = operands.map((index) => argv[index] ?? '');
  const into = values.find(({ kind }) => kind === 'write')?.text ?? (words.length > 1 ? words.at(-1) : '.') ?? '.';
  const moved = words.filter((word, index) => word !== into || index < words.length - 1);
  const links = moved.map((word) => `${into}/${nameOf(word)}`);
  return { moved, ...(makesLinks && { links: into === '.' ? links : [...links, into] }) };
}

/** Targets of files that are copied into a folder, and of links there. */
function copiedFiles(operands: readonly string[], targets: readonly string[]): readonly string[] {
  const into = targets.length > 0 ? targets : operands.length === 1 ? ['.'] : operands.slice(-1);
  const sources = targets.length > 0 || operands.length === 1 ? operands : operands.slice(0, -1);
  return into.flatMap((folder) => sources.flatMap((source) => targetsOf(source, folder)));
}

function targetsOf(source: string, folder: string): readonly string[] {
  const name = nameOf(source);
  if (source.startsWith('/')) return [`${folder}/${name}`];
  return [`${folder}/${name}`, `${folder}/${source}`, `${parentOf(folder)}/${source}`];
}

function nameOf(path: string): string {
  return (
    path
      .replace(/(?<!\/)\/+$/, '')
      .split('/')
      .at(-1) ?? ''
  );
}

function parentOf(path: string): string {
  const plain = path.replace(/(?<!\/)\/+$/, '');
  return plain.includes('/') ? plain.slice(0, plain.lastIndexOf('/')) || '/' : '.';
}

/** Without an option that lists, an archive is written or unpacked. */
export function archiveUse(argv: readonly string[], program: Program): FileUse {
  const [name = '', first = '', ...rest] = argv;
  // "tar tf x" is "tar -tf x".
  const words = program.needsNoDash && /^[a-z]/i.test(first) ? [name, `-${first}`, ...rest] : argv;
  const read = readWords(words, program);
  const isListing = program.listsWith?.split(' ').some((option) => read.given.has(option)) === true;
  // In this form each letter takes its own word: "tar tfI x y" runs y, "tar -tfI x y" does not.
  const isBundle = words !== argv && /f./.test(first);
  const isRemote = read.values.some(({ kind, text }) => kind === 'read' && text.includes(':'));
  const use = useOf(words, program, read);
  const changesUnnamedFiles = use.changesUnnamedFiles || !isListing || isRemote || isBundle;
  return {
    ...use,
    changesUnnamedFiles,
    ...(changesUnnamedFiles && { reads: [], writes: [...use.reads, ...use.writes] }),
  };
}
