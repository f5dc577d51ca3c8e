import { t } from '../../../base/l10n';
import { optionFiles, subscripts, testedNames } from '../evaluatedWords';
import { psEffect } from '../processes';
import type { Program } from '../program';
import { DELETES_DATA, INFRASTRUCTURE } from './commonEffects';

const FD_OPTIONS =
  '-HIugisFapLl0q e: t: d: E: c: S: extension: type: max-depth: min-depth: exact-depth: exclude: hidden no-ignore glob regex ignore-case case-sensitive fixed-strings absolute-path full-path follow print0 color: size: changed-within: changed-before: max-results: quiet prune list-details';
const SED_OPTIONS =
  '-nEruzsi e: quiet silent regexp-extended unbuffered null-data separate expression: in-place posix sandbox debug';
const AWK_OPTIONS = 'F: v: field-separator: assign: sandbox';

/** Programs that only read files or print texts. Those with `operands` write no file with the listed options. */
export const READING: readonly Program[] = [
  {
    names: 'cat zcat gzcat bzcat xzcat zstdcat',
    operands: 'read',
    options: '-AbeEnstTuv show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting',
  },
  {
    names: 'bat batcat',
    operands: 'read',
    options:
      '-pnAuf l: r: H: plain number show-all language: line-range: highlight-line: style: color: decorations: wrap: theme: tabs:',
  },
  { names: 'head', operands: 'read', options: '# -qvz c: n: bytes: lines: quiet silent verbose zero-terminated' },
  {
    names: 'tail',
    operands: 'read',
    options:
      '# -fFqvzr c: n: s: bytes: lines: follow? pid: max-unchanged-stats: retry sleep-interval: quiet silent verbose zero-terminated',
  },
  {
    names: 'grep egrep fgrep',
    operands: 'read',
    options:
      '# -EFGPiywxzsvVbnHhoqaILlcTZU e: f< m: A: B: C: D: r* extended-regexp fixed-strings basic-regexp perl-regexp regexp: file< ignore-case no-ignore-case word-regexp line-regexp null-data no-messages invert-match max-count: byte-offset line-number line-buffered with-filename no-filename label: only-matching quiet silent binary-files: text devices: recursive* include+ exclude: exclude-from< exclude-dir: files-without-match files-with-matches count initial-tab null before-context: after-context: context: group-separator: no-group-separator color? colour? binary',
  },
  {
    names: 'rg',
    operands: 'read',
    recursive: true,
    options:
      'u* .* hidden* unrestricted* no-ignore no-ignore-vcs -inlcvwxFPoqsSUHNIp0ab e: g+ t: T: A: B: C: m: r: j: E: M: d: f< regexp: file< glob+ iglob+ type: type-not: after-context: before-context: context: max-count: max-depth: max-columns: max-filesize: sort: sortr: color: colors: threads: encoding: replace: ignore-case smart-case case-sensitive fixed-strings line-regexp word-regexp invert-match count count-matches files files-with-matches files-without-match only-matching quiet no-messages line-number no-line-number with-filename no-filename heading no-heading json stats multiline multiline-dotall null null-data pcre2 pretty trim type-list vimgrep column no-config passthru text crlf one-file-system byte-offset no-ignore-messages',
  },
  {
    names: 'ag ack',
    operands: 'read',
    recursive: true,
    options:
      '-ilcvwnQsoHL A: B: C: G: m: ignore-case files-with-matches files-without-matches count invert-match word-regexp literal nocolor color column nogroup group heading noheading',
  },
  {
    names: 'ls dir vdir eza exa',
    operands: 'read',
    options:
      '-aAbBcCdDfFgGhHiIklLmnNopqQrRsStuUvwxXZ1@eTO all almost-all author escape block-size: ignore-backups color? directory dired classify? file-type format: full-time group-directories-first no-group human-readable si dereference-command-line dereference-command-line-symlink-to-dir hide: hyperlink? indicator-style: inode ignore: kibibytes dereference numeric-uid-gid literal hide-control-chars show-control-chars quote-name quoting-style: reverse recursive size sort: time: time-style: tabsize: width: context zero tree level: long git icons? header oneline',
  },
  {
    names: 'tree',
    operands: 'read',
    options:
      '-adfilxpsuhgDFqNQrtcUnCAJX L: P: I: noreport charset: filelimit: timefmt: sort? dirsfirst filesfirst prune matchdirs ignore-case gitignore du si inodes device',
  },
  {
    names: 'find',
    singleDash: true,
    operands: 'read',
    options:
      '-LPH0 O? name: iname: path: ipath: wholename: iwholename: regex: iregex: regextype: lname: ilname: type: xtype: size: empty maxdepth: mindepth: depth mount xdev newer< anewer< cnewer< newermt: mtime: mmin: atime: amin: ctime: cmin: used: daystart perm: user: group: uid: gid: nouser nogroup links: inum: samefile< readable writable executable print print0 printf: ls prune quit o a or and not true false noleaf warn nowarn ignore_readdir_race',
    isNoScript: true,
    irreversible: [
      {
        words: [/(?:^| )-(?:delete|exec|execdir|ok|okdir)(?= |$)/],
        why: t('deletes matching files or runs a command on each'),
      },
    ],
    mayRunWords: true,
  },
  { names: 'fd', operands: 'read', options: FD_OPTIONS, isNoScript: true, mayRunWords: true },
  { names: 'fdfind', operands: 'read', options: FD_OPTIONS },
  {
    names: 'file',
    operands: 'read',
    options:
      '-bikhLNn0rsSv m< e: F: P: brief mime mime-type mime-encoding extension apple keep-going dereference no-dereference no-buffer no-pad print0 raw exclude: exclude-quiet: separator: magic-file<',
  },
  {
    names: 'stat',
    operands: 'read',
    options: '-LtxFnlqrs f? c: format: printf: terse dereference cached: file-system',
  },
  { names: 'wc', operands: 'read', options: '-cmlLw bytes chars lines words max-line-length total:' },
  {
    names: 'diff colordiff',
    operands: 'read',
    compares: true,
    options:
      '# -qsabBwEZiyptTdencu C: U: W: F: I: x: X< S: D: r* N* P* label: L: color? palette: brief report-identical-files unified? context? ed rcs normal side-by-side width: left-column suppress-common-lines show-c-function show-function-line: expand-tabs initial-tab tabsize: suppress-blank-empty recursive* no-dereference new-file* unidirectional-new-file* ignore-file-name-case no-ignore-file-name-case exclude: exclude-from< starting-file: from-file< to-file< ignore-case ignore-tab-expansion ignore-trailing-space ignore-space-change ignore-all-space ignore-blank-lines ignore-matching-lines: text strip-trailing-cr minimal horizon-lines: speed-large-files line-format: old-line-format: new-line-format: unchanged-line-format: ifdef:',
  },
  { names: 'cmp', operands: 'read', options: '-bls i: n: print-bytes ignore-initial: verbose bytes: quiet silent' },
  {
    names: 'comm',
    operands: 'read',
    options: '-123z check-order nocheck-order output-delimiter: total zero-terminated',
  },
  {
    names: 'sort',
    operands: 'read',
    options:
      '-bdfgiMhnRrVcCmsuz k: t: S: o> T> key: field-separator: buffer-size: output> temporary-directory> ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort human-numeric-sort numeric-sort random-sort random-source< reverse sort: version-sort batch-size: check? debug merge stable parallel: unique zero-terminated',
  },
  {
    names: 'uniq',
    operands: 'inOut',
    options:
      '-cdDiuz f: s: w: count repeated all-repeated? skip-fields: group? ignore-case skip-chars: unique zero-terminated check-chars:',
  },
  {
    names: 'cut',
    operands: 'read',
    options:
      '-nsz b: c: d: f: bytes: characters: delimiter: fields: complement only-delimited output-delimiter: zero-terminated',
  },
  { names: 'tr', operands: 'text', options: '-cCdst complement delete squeeze-repeats truncate-set1' },
  {
    names: 'nl',
    operands: 'read',
    options:
      '-p b: d: f: h: i: l: n: s: v: w: body-numbering: section-delimiter: footer-numbering: header-numbering: line-increment: join-blank-lines: number-format: no-renumber number-separator: starting-line-number: number-width:',
  },
  {
    names: 'paste fold expand unexpand fmt rev tac pr join',
    operands: 'read',
    options: '# -szbact1i d: w: delimiters: serial width: spaces bytes',
  },
  {
    names: 'od',
    operands: 'read',
    options:
      '-abcdfilosvx A: j: N: S? t: w? address-radix: endian: skip-bytes: read-bytes: strings? format: output-duplicates width? traditional',
  },
  {
    names: 'xxd',
    singleDash: true,
    operands: 'inOut',
    options: '-aubCeEivdp ps c: g: l: s: n: o: plain bits cols: groupsize: len: seek: uppercase include',
  },
  {
    names: 'hexdump hd',
    operands: 'read',
    options:
      '-bcCdoxv e: f< n: s: L? one-byte-octal one-byte-char canonical two-bytes-decimal two-bytes-octal two-bytes-hex length: skip: no-squeezing color? format:',
  },
  {
    names: 'strings',
    operands: 'read',
    options: '-adfowU n: t: e: T: s: bytes: all print-file-name radix: encoding: unicode? output-separator:',
    riskyWords: optionFiles,
  },
  {
    names: 'md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum shasum cksum sum md5',
    operands: 'read',
    options: '-btzqrUp0s a: l: binary tag text zero quiet algorithm: length: untagged raw base64 debug',
  },
  {
    names: 'column',
    operands: 'read',
    options:
      '-tdeJrxLE s: o: c: N: l: H: R: T: W: O: n: table separator: output-separator: output-width: table-columns: json',
  },
  {
    names: 'realpath',
    operands: 'read',
    options:
      '-emLPqsz relative-to< relative-base< canonicalize-existing canonicalize-missing logical physical quiet strip no-symlinks zero',
  },
  {
    names: 'readlink',
    operands: 'read',
    options: '-femnqsvz canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose zero',
  },
  { names: 'basename dirname', operands: 'text', options: '-az s: multiple suffix: zero' },
  {
    names: 'du',
    operands: 'read',
    options:
      '-0abcDHhklmPSsx B: d: t: X< null all apparent-size block-size: bytes total dereference-args max-depth: summarize inodes count-links no-dereference separate-dirs si threshold: time? time-style: exclude: exclude-from< one-file-system human-readable',
    folders: 'checks',
  },
  {
    names: 'df',
    operands: 'read',
    options:
      '-ahHiklPTv B: t: x: all block-size: human-readable si inodes local portability print-type total output? type: exclude-type: no-sync',
  },
  { names: 'chdir set-location', operands: 'read', options: '-LPen', changesFolder: true },
  { names: 'cd pushd', operands: 'read', options: '-LPen', changesFolder: true, riskyWords: subscripts },
  { names: 'popd', operands: 'read', options: '-LPen', riskyWords: subscripts },
  {
    names:
      'type which where whereis get-content gc get-childitem gci select-string get-item test-path measure-object get-location',
    anyOptions: true,
    operands: 'read',
  },
  { names: 'test [', anyOptions: true, operands: 'read', riskyWords: testedNames },
  { names: 'sls', anyOptions: true, operands: 'read', effects: [INFRASTRUCTURE] },
  {
    names:
      'echo write-output write-host true false : pwd whoami logname groups tty nproc uptime sleep seq expr factor uname id who w getconf locale tput umask free vmstat lscpu lsblk sw_vers lsb_release',
    anyOptions: true,
    operands: 'text',
  },
  { names: 'ps', anyOptions: true, operands: 'text', effectOf: psEffect },
  {
    names: 'exit return break continue times ulimit',
    anyOptions: true,
    operands: 'text',
    riskyWords: subscripts,
  },
  { names: 'printf', optionsFirst: true, operands: 'text', options: '', riskyWords: subscripts },
  { names: 'wait', operands: 'text', options: '-nf', riskyWords: subscripts },
  { names: 'jobs', operands: 'text', options: '-lnprs' },
  { names: 'printenv', anyOptions: true, operands: 'text', isNoScript: true, printsVariables: 'always' },
  { names: 'hostname', operands: 'read', options: '-adfiIsy' },
  {
    names: 'date',
    operands: 'text',
    options: '-uRjn d: r< I? f< date: utc universal rfc-email rfc-3339: iso-8601? reference< file<',
  },
  {
    names: 'tar gtar bsdtar',
    operands: 'read',
    options: '-tvzjJRn f< t list verbose file< gzip bzip2 xz zstd auto-compress exclude: wildcards full-time',
    listsWith: 't list',
    needsNoDash: true,
  },
  { names: 'unzip', operands: 'read', options: '-lvtzqZ1', listsWith: 't l v Z' },
  { names: 'zipinfo', operands: 'read', options: '-12smlvhtzMT', listsWith: 't l v Z' },
  {
    names: 'sed',
    hasVersions: true,
    script: 'sed',
    operands: 'read',
    options: SED_OPTIONS,
    everyWord: true,
    isNoScript: true,
  },
  {
    names: 'awk gawk',
    hasVersions: true,
    script: 'awk',
    operands: 'read',
    options: AWK_OPTIONS,
    everyWord: true,
    isNoScript: true,
  },
  {
    names: 'jq',
    script: 'jq',
    operands: 'read',
    options:
      '-cnesrRCMSaj compact-output null-input exit-status slurp raw-output raw-output0 raw-input color-output monochrome-output sort-keys tab indent: unbuffered stream seq ascii-output join-output args jsonargs',
  },
  {
    names: 'sqlite',
    hasVersions: true,
    script: 'sqlite',
    singleDash: true,
    operands: 'read',
    options:
      'header noheader csv json column line list html markdown box table quote readonly batch bail tabs ascii echo safe nullvalue: separator: newline:',
    everyWord: true,
    irreversible: [DELETES_DATA],
  },
  { names: 'mawk nawk', hasVersions: true, script: 'awk', operands: 'read', options: AWK_OPTIONS, everyWord: true },
  { names: 'gsed', hasVersions: true, script: 'sed', operands: 'read', options: SED_OPTIONS, everyWord: true },
  { names: 'gprintenv genv', printsVariables: 'always' },
  { names: 'envsubst', isNoScript: true, printsVariables: 'always' },
  { names: 'delta glow hexyl', folders: 'prints' },
  { names: 'ug rga pt', folders: 'printsHere' },
];
