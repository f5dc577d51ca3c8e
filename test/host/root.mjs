// Imported first by every script of this folder: from here on the working folder is the repository's root.
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('../..', import.meta.url)));
