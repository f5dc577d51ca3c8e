/**
 * The documented options of programs (`--help` of GNU coreutils 9, grep 3, diffutils 3, sed 4 and util-linux 2, manuals of the
 * others), with a file or a number as value where the value is attached.
 */
export const DOCUMENTED_OPTIONS = `
cat: -A --show-all -b --number-nonblank -e -E --show-ends -n --number -s --squeeze-blank -t -T --show-tabs -u -v
  --show-nonprinting --help
head: -c --bytes=1 -n --lines=1 -q --quiet --silent -v --verbose -z --zero-terminated --help
tail: -c --bytes=1 -f --follow -F -n --lines=1 --max-unchanged-stats=1 --pid=1 -q --quiet --silent --retry -s --sleep-interval=1
  -v --verbose -z --zero-terminated --help
grep: -E --extended-regexp -F --fixed-strings -G --basic-regexp -P --perl-regexp -e --regexp=1 -f --file=src/b -i --ignore-case
  --no-ignore-case -w --word-regexp -x --line-regexp -z --null-data -s --no-messages -v --invert-match -V --help -m --max-count=1 -b
  --byte-offset -n --line-number --line-buffered -H --with-filename -h --no-filename --label=1 -o --only-matching -q --quiet
  --silent --binary-files=1 -a --text -I -d --directories=1 -D --devices=1 -r --recursive -R --dereference-recursive --include=1
  --exclude=1 --exclude-from=src/b --exclude-dir=1 -L --files-without-match -l --files-with-matches -c --count -T --initial-tab -Z
  --null -B --before-context=1 -A --after-context=1 -C --context=1 --group-separator=1 --no-group-separator --color --colour -U
  --binary
ls: -a --all -A --almost-all --author -b --escape --block-size=1 -B --ignore-backups -c -C --color -d --directory -D --dired -f -F
  --classify --file-type --format=1 --full-time -g --group-directories-first -G --no-group -h --human-readable --si -H
  --dereference-command-line --dereference-command-line-symlink-to-dir --hide=1 --hyperlink --indicator-style=1 -i --inode -I
  --ignore=1 -k --kibibytes -l -L --dereference -m -n --numeric-uid-gid -N --literal -o -p -q --hide-control-chars
  --show-control-chars -Q --quote-name --quoting-style=1 -r --reverse -R --recursive -s --size -S --sort=1 --time=1 --time-style=1
  -t -T --tabsize=1 -u -U -v -w --width=1 -x -X -Z --context --zero -1 --help
stat: -L --dereference -f --file-system --cached=1 -c --printf=1 -t --terse --help
wc: -c --bytes -m --chars -l --lines --files0-from=src/b -L --max-line-length -w --words --help
diff: --normal -q --brief -s --report-identical-files -c -C --context -u -U --unified -e --ed -n --rcs -y --side-by-side -W
  --width=1 --left-column --suppress-common-lines -p --show-c-function -F --show-function-line=1 --label -t --expand-tabs -T
  --initial-tab --tabsize=1 --suppress-blank-empty -l --paginate -r --recursive --no-dereference -N --new-file
  --unidirectional-new-file --ignore-file-name-case --no-ignore-file-name-case -x --exclude=1 -X --exclude-from=src/b -S
  --starting-file=src/b --from-file=src/b --to-file=src/b -i --ignore-case -E --ignore-tab-expansion -Z --ignore-trailing-space -b
  --ignore-space-change -w --ignore-all-space -B --ignore-blank-lines -I --ignore-matching-lines=1 -a --text --strip-trailing-cr -D
  --ifdef=1 --GTYPE-group-format=1 --line-format=1 --LTYPE-line-format=1 -d --minimal --horizon-lines=1 --speed-large-files --color
  --palette=1 --help -v
cmp: -b --print-bytes -i --ignore-initial=1 -l --verbose -n --bytes=1 -s --quiet --silent --help -v
comm: -1 -2 -3 --check-order --nocheck-order --output-delimiter=1 --total -z --zero-terminated --help
sort: -b --ignore-leading-blanks -d --dictionary-order -f --ignore-case -g --general-numeric-sort -i --ignore-nonprinting -M
  --month-sort -h --human-numeric-sort -n --numeric-sort -R --random-sort --random-source=src/b -r --reverse --sort=1 -V
  --version-sort --batch-size=1 -c --check=1 -C --compress-program=src/b --debug --files0-from=src/b -k --key=1 -m --merge -o
  --output=src/b -s --stable -S --buffer-size=1 -t --field-separator=1 -T --temporary-directory=src/b --parallel=1 -u --unique -z
  --zero-terminated --help
uniq: -c --count -d --repeated -D --all-repeated -f --skip-fields=1 --group -i --ignore-case -s --skip-chars=1 -u --unique -z
  --zero-terminated -w --check-chars=1 --help
cut: -b --bytes=1 -c --characters=1 -d --delimiter=1 -f --fields=1 -n --complement -s --only-delimited --output-delimiter=1 -z
  --zero-terminated --help -M
nl: -b --body-numbering=1 -d --section-delimiter=1 -f --footer-numbering=1 -h --header-numbering=1 -i --line-increment=1 -l
  --join-blank-lines=1 -n --number-format=1 -p --no-renumber -s --number-separator=1 -v --starting-line-number=1 -w --number-width=1
  --help
od: -A --address-radix=1 --endian=1 -j --skip-bytes=1 -N --read-bytes=1 -S --strings -t --format=1 -v --output-duplicates -w
  --width --traditional --help -a -b -c -d -f -i -l -o -s -x
md5sum: -b --binary -c --check --tag -t --text -z --zero --ignore-missing --quiet --status --strict -w --warn --help
realpath: -e --canonicalize-existing -m --canonicalize-missing -L --logical -P --physical -q --quiet --relative-to=src/b
  --relative-base=src/b -s --strip --no-symlinks -z --zero --help
readlink: -f --canonicalize -e --canonicalize-existing -m --canonicalize-missing -n --no-newline -q --quiet -s --silent -v
  --verbose -z --zero --help
basename: -a --multiple -s --suffix=1 -z --zero --help
du: -0 --null -a --all --apparent-size -B --block-size=1 -b --bytes -c --total -D --dereference-args -d --max-depth=1
  --files0-from=src/b -H -h --human-readable --inodes -k -L --dereference -l --count-links -m -P --no-dereference -S --separate-dirs
  --si -s --summarize -t --threshold=1 --time --time=1 --time-style=1 -X --exclude-from=src/b --exclude=1 -x --one-file-system
  --help
df: -a --all -B --block-size=1 -h --human-readable -H --si -i --inodes -k -l --local --no-sync --output -P --portability --sync
  --total -t --type=1 -T --print-type -x --exclude-type=1 -v --help
date: -d --date=1 --debug -f --file=src/b -I --iso-8601 --resolution -R --rfc-email --rfc-3339=1 -r --reference=src/b -s --set=1
  -u --utc --universal --help
file: --help -v -m --magic-file -z --uncompress -Z --uncompress-noreport -b --brief -c --checking-printout -e --exclude
  --exclude-quiet -f --files-from -F --separator -i --mime --apple --extension --mime-type --mime-encoding -k --keep-going -l --list
  -L --dereference -h --no-dereference -n --no-buffer -N --no-pad -0 --print0 -p --preserve-date -P --parameter -r --raw -s
  --special-files -S --no-sandbox -C --compile -d --debug
jq: -c -n -e -s -r -R -C -M -S --tab --arg --argjson --slurpfile --rawfile --args --jsonargs
column: -t --table -n --table-name -O --table-order -N --table-columns -l --table-columns-limit -E --table-noextreme -d
  --table-noheadings -e --table-header-repeat -H --table-hide -R --table-right -T --table-truncate -W --table-wrap -L
  --keep-empty-lines -J --json -r --tree -i --tree-id -p --tree-parent -c --output-width -o --output-separator -s --separator -x
  --fillrows -h --help -V
strings: -a --all -d --data -f --print-file-name -n --bytes=1 -t --radix=1 -w --include-all-whitespace -o -T --target=1 -e
  --encoding=1 --unicode=1 -U -s --output-separator=1 -h --help -v -V
hexdump: -b --one-byte-octal -c --one-byte-char -C --canonical -d --two-bytes-decimal -o --two-bytes-octal -x --two-bytes-hex -L
  --color -e --format -f --format-file -n --length -s --skip -v --no-squeezing -h --help -V
tee: -a --append -i --ignore-interrupts -p --output-error --help
cp: -a --archive --attributes-only --backup -b --copy-contents -d -f --force -i --interactive -H -l --link -L --dereference -n
  --no-clobber -P --no-dereference -p --preserve --no-preserve=1 --parents -R -r --recursive --reflink --remove-destination
  --sparse=1 --strip-trailing-slashes -s --symbolic-link -S --suffix=1 -t --target-directory=src/b -T --no-target-directory -u
  --update -v --verbose -x --one-file-system -Z --context --help
mv: --backup -b -f --force -i --interactive -n --no-clobber --strip-trailing-slashes -S --suffix=1 -t --target-directory=src/b -T
  --no-target-directory -u --update -v --verbose -Z --context --help
mkdir: -m --mode=1 -p --parents -v --verbose -Z --context --help
touch: -a -c --no-create -d --date=1 -f -h --no-dereference -m -r --reference=src/b -t --time=1 --help
ln: --backup -b -d -F --directory -f --force -i --interactive -L --logical -n --no-dereference -P --physical -r --relative -s
  --symbolic -S --suffix=1 -t --target-directory=src/b -T --no-target-directory -v --verbose --help
rm: -f --force -i -I --interactive --one-file-system --no-preserve-root --preserve-root -r -R --recursive -d --dir -v --verbose
  --help
chmod: -c --changes -f --silent --quiet -v --verbose --no-preserve-root --preserve-root --reference=src/b -R --recursive --help
truncate: -c --no-create -o --io-blocks -r --reference=src/b -s --size=1 --help
sed: -n --quiet --silent --debug -e --expression=1 -f --file=1 --follow-symlinks -i --in-place -l --line-length=1 --posix -E -r
  --regexp-extended -s --separate --sandbox -u --unbuffered -z --null-data --help
find: -name -type -maxdepth -newer -print -print0 -delete -exec -execdir -ok -okdir -fprint -fprint0 -fprintf -fls -files0-from
xxd: -a -b -c -e -g -i -l -p -r -s -u
tree: -a -d -f -L -I -o -R --noreport
rg: -i -n -l -F -w -e -g -t -A -u --hidden --pre=src/b --pre-glob=1 --hostname-bin=src/b --search-zip --json --sort=path
fd: -H -I -t -e -d -x -X --exec --exec-batch --max-depth=1
bat: -n -p -A -l --pager=src/b --style=plain
tar: -tf -tvf --list -xf -cf --extract --use-compress-program=src/b --to-command=src/b --checkpoint-action=exec=src/b -I
unzip: -l -t -p -o -d
awk: -F -v -f -i --include=src/b
curl: -s -S -L -I -H -d -o -O -J -K --output=src/b --config=src/b --remote-name --upload-file=src/b
git log: --oneline --stat -p -n --author=1 --since=1 --output=src/b --ext-diff --textconv -O --no-index --show-signature
git diff: --stat --cached --name-only -w --output=src/b --ext-diff --no-index
git status: -s --short -b --porcelain
git fetch: --all --prune --tags --upload-pack=src/b --upload-pa=src/b --depth=1
git push: -u --force --tags --receive-pack=src/b --exec=src/b --repo=src/b
git grep: -n -i -O --open-files-in-pager=src/b --no-index
git commit: -m -a --amend --no-edit --template=src/b --gpg-sign=1
git branch: -a -d --list --edit-description
git tag: -l -a -s --sign
git show: --stat -p --textconv
git blame: -L -w --contents=src/b
npm test: --silent --if-present --node-options=1 --script-shell=src/b --userconfig=src/b --prefix=src
npx eslint: --fix --quiet -c --config=src/b -f --format=src/b --rulesdir=src --resolve-plugins-relative-to=src --parser=src/b
npx jest: --ci --watch -t --testRunner=src/b --config=src/b --reporters=src/b --setupFiles=src/b --coverage
npx mocha: -g --bail -r --require=src/b --reporter=src/b --config=src/b
npx vitest run: --coverage --config=src/b --reporter=src/b -t
tsc: --noEmit -p --watch --outDir=src --declarationDir=src --build
pytest: -x -v -k -p -c --rootdir=src --junitxml=src/b
go test: -v -run -count -exec -toolexec -o -coverprofile
cargo test: -v --release --config=1 --target-dir=src
make: -j -k -C -f --eval=1 -n
env: -i -u -C -S --split-string=1 --chdir=src
timeout: -k -s --foreground
nice: -n --adjustment=1
node: --test -e --eval=1 -r --require=src/b --import=src/b --loader=src/b --enable-source-maps
python3: -u -c -m
bash: -e -c -x -i --rcfile=src/b --init-file=src/b --norc
`;

/** Each option on its own line, followed by a file: the program's words, and the line. */
export function optionLines(): readonly { readonly program: string; readonly line: string }[] {
  const joined = DOCUMENTED_OPTIONS.trim().replaceAll('\n  ', ' ');
  return joined.split('\n').flatMap((text) => {
    const [, program = '', options = ''] = /^([^:]+): (.*)$/.exec(text) ?? [];
    return options.split(' ').map((option) => ({ program, line: `${program} ${option} src/a` }));
  });
}
