import { optionTable } from './optionTable';

/** Programs that write only the given files, with these options. */
export const writingPrograms = optionTable(`
cp [copy]: -bdfinPpuvxT H* L* r* R* a* t> recursive* archive* attributes-only backup? force interactive no-clobber no-dereference preserve? no-preserve: remove-destination reflink? sparse: strip-trailing-slashes target-directory> no-target-directory update? verbose one-file-system
mv [copy deep]: -bfinuvT t> backup? force interactive no-clobber strip-trailing-slashes target-directory> no-target-directory update? verbose
ln [copy]: -bfinrsvTLP t> backup? force interactive no-dereference relative symbolic logical physical target-directory> no-target-directory verbose
mkdir [write]: -pv m: mode: parents verbose
rmdir [write]: -pv ignore-fail-on-non-empty parents verbose
touch [write]: -acfhm d: t: r< date: time: reference< no-create no-dereference
tee [write]: -aip append ignore-interrupts output-error?
rm,unlink [write]: -fiIdv r* R* recursive* force interactive? one-file-system preserve-root? dir verbose
truncate [write]: -co s: r< size: reference< no-create io-blocks
chmod [write]: -cfvrwxXst R* recursive* changes silent quiet verbose
gzip,bzip2,xz,zstd [write]: -cfkqtvl123456789 stdout keep test list verbose quiet force
split,csplit,gunzip,bunzip2,unxz,unzstd,uncompress [changes]:
curl: -sSfLiIvGgN46 X: H: d: A: e: m: o> u: b< r: T< request: header: data: data-raw: data-urlencode: json: user-agent: referer: max-time: output> user: range: silent show-error fail fail-with-body location include head verbose get compressed connect-timeout: retry: retry-delay: url< http1.1 http2 no-progress-meter no-buffer ipv4 ipv6
`);

/** Archives, patches and downloads: their content decides what is written. Listing them only reads. */
export const archivePrograms = optionTable(`
tar,gtar,bsdtar: -tvzjJRn f< t list verbose file< gzip bzip2 xz zstd auto-compress exclude: wildcards full-time
unzip: -lvtzqZ1
zipinfo: -12smlvhtzMT
zip,7z,7za,rar,unrar,ar,cpio,pax,patch,wget,aria2c,ditto,robocopy,xcopy,expand-archive,compress-archive [changes]:
`);
