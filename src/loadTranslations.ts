import * as vscode from 'vscode';
import { setTranslations } from './base/l10n';

/**
 * Gives `t` the sentences of the user's language: `vscode.l10n.bundle` is the file of `l10n/` for the display language, and absent in
 * English. Whoever imports this imports it first, and a bundle with a copy of `base` of its own imports it as well: constants of
 * modules are translated when they are evaluated.
 */
setTranslations(vscode.l10n.bundle, vscode.l10n.bundle && vscode.env.language);
