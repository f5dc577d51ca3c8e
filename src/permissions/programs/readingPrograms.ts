import { optionTable } from './optionTable';

/** Programs that only read their files, with the options for which that is true. */
export const readingPrograms = optionTable(`
cat,zcat,gzcat,bzcat,xzcat,zstdcat: -AbeEnstTuv show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting
bat,batcat: -pnAuf l: r: H: plain number show-all language: line-range: highlight-line: style: color: decorations: wrap: theme: tabs:
head: # -qvz c: n: bytes: lines: quiet silent verbose zero-terminated
tail: # -fFqvzr c: n: s: bytes: lines: follow? pid: max-unchanged-stats: retry sleep-interval: quiet silent verbose zero-terminated
grep,egrep,fgrep: # -EFGPiywxzsvVbnHhoqaILlcTZU e: f< m: A: B: C: D: r* extended-regexp fixed-strings basic-regexp perl-regexp regexp: file< ignore-case no-ignore-case word-regexp line-regexp null-data no-messages invert-match max-count: byte-offset line-number line-buffered with-filename no-filename label: only-matching quiet silent binary-files: text devices: recursive* include+ exclude: exclude-from< exclude-dir: files-without-match files-with-matches count initial-tab null before-context: after-context: context: group-separator: no-group-separator color? colour? binary
rg [deep]: u* .* hidden* unrestricted* no-ignore no-ignore-vcs -inlcvwxFPoqsSUHNIp0ab e: g+ t: T: A: B: C: m: r: j: E: M: d: f< regexp: file< glob+ iglob+ type: type-not: after-context: before-context: context: max-count: max-depth: max-columns: max-filesize: sort: sortr: color: colors: threads: encoding: replace: ignore-case smart-case case-sensitive fixed-strings line-regexp word-regexp invert-match count count-matches files files-with-matches files-without-match only-matching quiet no-messages line-number no-line-number with-filename no-filename heading no-heading json stats multiline multiline-dotall null null-data pcre2 pretty trim type-list vimgrep column no-config passthru text crlf one-file-system byte-offset no-ignore-messages
ag,ack [deep]: -ilcvwnQsoHL A: B: C: G: m: ignore-case files-with-matches files-without-matches count invert-match word-regexp literal nocolor color column nogroup group heading noheading
ls,dir,vdir,eza,exa: -aAbBcCdDfFgGhHiIklLmnNopqQrRsStuUvwxXZ1@eTO all almost-all author escape block-size: ignore-backups color? directory dired classify? file-type format: full-time group-directories-first no-group human-readable si dereference-command-line dereference-command-line-symlink-to-dir hide: hyperlink? indicator-style: inode ignore: kibibytes dereference numeric-uid-gid literal hide-control-chars show-control-chars quote-name quoting-style: reverse recursive size sort: time: time-style: tabsize: width: context zero tree level: long git icons? header oneline
tree: -adfilxpsuhgDFqNQrtcUnCAJX L: P: I: noreport charset: filelimit: timefmt: sort? dirsfirst filesfirst prune matchdirs ignore-case gitignore du si inodes device
find [single]: -LPH0 O? name: iname: path: ipath: wholename: iwholename: regex: iregex: regextype: lname: ilname: type: xtype: size: empty maxdepth: mindepth: depth mount xdev newer< anewer< cnewer< newermt: mtime: mmin: atime: amin: ctime: cmin: used: daystart perm: user: group: uid: gid: nouser nogroup links: inum: samefile< readable writable executable print print0 printf: ls prune quit o a or and not true false noleaf warn nowarn ignore_readdir_race
fd,fdfind: -HIugisFapLl0q e: t: d: E: c: S: extension: type: max-depth: min-depth: exact-depth: exclude: hidden no-ignore glob regex ignore-case case-sensitive fixed-strings absolute-path full-path follow print0 color: size: changed-within: changed-before: max-results: quiet prune list-details
file: -bikhLNn0rsSv m< e: F: P: brief mime mime-type mime-encoding extension apple keep-going dereference no-dereference no-buffer no-pad print0 raw exclude: exclude-quiet: separator: magic-file<
stat: -LtxFnlqrs f? c: format: printf: terse dereference cached: file-system
wc: -cmlLw bytes chars lines words max-line-length total:
diff,colordiff [compares]: # -qsabBwEZiyptTdencu C: U: W: F: I: x: X< S: D: r* N* P* label: L: color? palette: brief report-identical-files unified? context? ed rcs normal side-by-side width: left-column suppress-common-lines show-c-function show-function-line: expand-tabs initial-tab tabsize: suppress-blank-empty recursive* no-dereference new-file* unidirectional-new-file* ignore-file-name-case no-ignore-file-name-case exclude: exclude-from< starting-file: from-file< to-file< ignore-case ignore-tab-expansion ignore-trailing-space ignore-space-change ignore-all-space ignore-blank-lines ignore-matching-lines: text strip-trailing-cr minimal horizon-lines: speed-large-files line-format: old-line-format: new-line-format: unchanged-line-format: ifdef:
cmp: -bls i: n: print-bytes ignore-initial: verbose bytes: quiet silent
comm: -123z check-order nocheck-order output-delimiter: total zero-terminated
sort: -bdfgiMhnRrVcCmsuz k: t: S: o> T> key: field-separator: buffer-size: output> temporary-directory> ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort human-numeric-sort numeric-sort random-sort random-source< reverse sort: version-sort batch-size: check? debug merge stable parallel: unique zero-terminated
uniq [in-out]: -cdDiuz f: s: w: count repeated all-repeated? skip-fields: group? ignore-case skip-chars: unique zero-terminated check-chars:
cut: -nsz b: c: d: f: bytes: characters: delimiter: fields: complement only-delimited output-delimiter: zero-terminated
tr [text]: -cCdst complement delete squeeze-repeats truncate-set1
nl: -p b: d: f: h: i: l: n: s: v: w: body-numbering: section-delimiter: footer-numbering: header-numbering: line-increment: join-blank-lines: number-format: no-renumber number-separator: starting-line-number: number-width:
paste,fold,expand,unexpand,fmt,rev,tac,pr,join: # -szbact1i d: w: delimiters: serial width: spaces bytes
od: -abcdfilosvx A: j: N: S? t: w? address-radix: endian: skip-bytes: read-bytes: strings? format: output-duplicates width? traditional
xxd [in-out single]: -aubCeEivdp ps c: g: l: s: n: o: plain bits cols: groupsize: len: seek: uppercase include
hexdump,hd: -bcCdoxv e: f< n: s: L? one-byte-octal one-byte-char canonical two-bytes-decimal two-bytes-octal two-bytes-hex length: skip: no-squeezing color? format:
strings: -adfowU n: t: e: T: s: bytes: all print-file-name radix: encoding: unicode? output-separator:
md5sum,sha1sum,sha224sum,sha256sum,sha384sum,sha512sum,b2sum,shasum,cksum,sum,md5: -btzqrUp0s a: l: binary tag text zero quiet algorithm: length: untagged raw base64 debug
column: -tdeJrxLE s: o: c: N: l: H: R: T: W: O: n: table separator: output-separator: output-width: table-columns: json
realpath: -emLPqsz relative-to< relative-base< canonicalize-existing canonicalize-missing logical physical quiet strip no-symlinks zero
readlink: -femnqsvz canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose zero
basename,dirname [text]: -az s: multiple suffix: zero
du: -0abcDHhklmPSsx B: d: t: X< null all apparent-size block-size: bytes total dereference-args max-depth: summarize inodes count-links no-dereference separate-dirs si threshold: time? time-style: exclude: exclude-from< one-file-system human-readable
df: -ahHiklPTv B: t: x: all block-size: human-readable si inodes local portability print-type total output? type: exclude-type: no-sync
cd,pushd,popd,chdir,set-location,sl: -LPen
test,[,type,which,where,whereis,get-content,gc,get-childitem,gci,select-string,sls,get-item,test-path,measure-object,get-location [any]:
`);

/** Programs whose operands are not files, with the options for which they run and write nothing. */
export const textPrograms = optionTable(`
echo,write-output,write-host [text any]:
printf [text stops]:
wait [text]: -nf
jobs [text]: -lnprs
true,false,:,pwd,whoami,logname,groups,tty,nproc,uptime,exit,return,break,continue,times [text any]:
sleep,seq,expr,factor,kill,uname,id,who,w,printenv,getconf,locale,tput,ulimit,umask [text any]:
hostname: -adfiIsy
date [text]: -uRjn d: r< I? f< date: utc universal rfc-email rfc-3339: iso-8601? reference< file<
set [text]: -euxvf o:
ps [text any]:
free,vmstat,lscpu,lsblk,sw_vers,lsb_release [text any]:
`);
