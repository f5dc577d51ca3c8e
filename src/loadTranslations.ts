import * as vscode from 'vscode';
import { setTranslations } from './base/l10n';

/**
 * Passes the translations to `t`: `vscode.l10n.bundle` is the file of `l10n/` for the display language, and undefined in English. Must be
 * the first import, also of each bundle with its own copy of `base`: constants of modules are translated when they are evaluated.
 */
setTranslations(vscode.l10n.bundle, vscode.l10n.bundle && vscode.env.language);
