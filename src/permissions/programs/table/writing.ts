import { t } from '../../../base/l10n';
import { CURL_OPTIONS, curlEffect, curlPatterns } from '../curl';
import type { IrreversibleUse, Program } from '../program';
import { CHANGES_OWNERS } from './commonEffects';

const DELETES_TREE: IrreversibleUse = { words: [/(?:^| )\/s(?= |$)/i], why: t('deletes folders and their contents') };
const DELETES_ITEMS: IrreversibleUse = { why: t('deletes files or folders') };
const DELETES_FILES: IrreversibleUse = { why: t('permanently deletes files') };

const RM_OPTIONS = '-fiIdv r* R* recursive* force interactive? one-file-system preserve-root? dir verbose';

/** Programs that write, move or delete the files that their words name, archives, and downloads. */
export const WRITING: readonly Program[] = [
  {
    names: 'cp',
    operands: 'copy',
    options:
      '-bdfinPpuvxT H* L* r* R* a* t> recursive* archive* attributes-only backup? force interactive no-clobber no-dereference preserve? no-preserve: remove-destination reflink? sparse: strip-trailing-slashes target-directory> no-target-directory update? verbose one-file-system',
    keepsLinksWith: 'P d a R r archive recursive no-dereference',
  },
  {
    names: 'mv',
    operands: 'copy',
    recursive: true,
    options:
      '-bfinuvT t> backup? force interactive no-clobber strip-trailing-slashes target-directory> no-target-directory update? verbose',
  },
  {
    names: 'ln',
    operands: 'copy',
    options:
      '-bfinrsvTLP t> backup? force interactive no-dereference relative symbolic logical physical target-directory> no-target-directory verbose',
    makesLinks: true,
  },
  { names: 'mkdir', operands: 'write', options: '-pv m: mode: parents verbose' },
  {
    names: 'rmdir',
    operands: 'write',
    options: '-pv ignore-fail-on-non-empty parents verbose',
    irreversible: [DELETES_TREE, DELETES_ITEMS],
  },
  { names: 'touch', operands: 'write', options: '-acfhm d: t: r< date: time: reference< no-create no-dereference' },
  { names: 'tee', operands: 'write', options: '-aip append ignore-interrupts output-error?' },
  {
    names: 'rm',
    operands: 'write',
    options: RM_OPTIONS,
    folders: 'deletes',
    irreversible: [
      {
        words: [/(?:^| )(?:-[a-z]*r[a-z]*|--recursive|-recurse)(?= |$)/i],
        why: t('deletes folders and their contents'),
      },
      DELETES_FILES,
    ],
  },
  { names: 'unlink', operands: 'write', options: RM_OPTIONS, irreversible: [DELETES_FILES] },
  {
    names: 'truncate',
    operands: 'write',
    options: '-co s: r< size: reference< no-create io-blocks',
    irreversible: [{ why: t('truncates files') }],
  },
  {
    names: 'chmod',
    operands: 'write',
    options: '-cfvrwxXst R* recursive* changes silent quiet verbose',
    irreversible: [CHANGES_OWNERS],
  },
  {
    names: 'gzip bzip2 xz zstd',
    operands: 'write',
    options: '-cfkqtvl123456789 stdout keep test list verbose quiet force',
  },
  {
    names: 'split csplit gunzip bunzip2 unxz unzstd uncompress',
    operands: 'write',
    changesOtherFiles: true,
    options: '',
  },
  {
    names: 'curl',
    operands: 'read',
    options: CURL_OPTIONS,
    isNoScript: true,
    startsCommand: true,
    riskyWords: curlPatterns,
    effectOf: curlEffect,
  },
  {
    names: 'zip 7z 7za rar unrar ar cpio pax patch aria2c ditto robocopy xcopy expand-archive compress-archive',
    operands: 'write',
    changesOtherFiles: true,
    options: '',
    listsWith: '',
  },
  { names: 'wget', operands: 'write', changesOtherFiles: true, options: '', isNoScript: true, listsWith: '' },
  { names: 'move-item copy-item rename-item move copy ren mi ci cpi', moves: true },
  { names: 'rni', moves: true, irreversible: [DELETES_ITEMS] },
  { names: 'shred srm wipe del', folders: 'deletes', irreversible: [DELETES_FILES] },
  { names: 'erase', irreversible: [DELETES_FILES] },
  { names: 'rd', irreversible: [DELETES_TREE, DELETES_ITEMS] },
  { names: 'remove-item ri clear-content clc clear-item', irreversible: [DELETES_ITEMS] },
  { names: 'chattr icacls takeown', irreversible: [CHANGES_OWNERS] },
  { names: 'rip gomi scrub', folders: 'deletes' },
];
