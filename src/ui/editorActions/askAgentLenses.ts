import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import { DisposableStore, MutableDisposable } from '../../base/lifecycle';
import type { Disposable } from '../../base/lifecycle';

/** Kinds of symbols with code lenses. */
const KINDS: ReadonlySet<vscode.SymbolKind> = new Set([
  vscode.SymbolKind.Function,
  vscode.SymbolKind.Method,
  vscode.SymbolKind.Constructor,
]);

/** Maximum number of code lenses in one file; a generated file may have thousands of functions. */
const MAX_LENSES = 500;

/** "Ask Agent" and "Explain with Agent" above functions, if enabled (`parley.codeLens`, off by default). */
export function registerAskAgentLenses(): Disposable {
  const store = new DisposableStore();
  const provider = store.add(new MutableDisposable<Disposable>());
  const refresh = (): void => {
    const isEnabled = vscode.workspace.getConfiguration('parley').get<unknown>('codeLens') === true;
    if (isEnabled === (provider.value !== undefined)) return;
    provider.value = isEnabled
      ? vscode.languages.registerCodeLensProvider({ scheme: 'file' }, { provideCodeLenses })
      : undefined;
  };
  store.add(vscode.workspace.onDidChangeConfiguration(refresh));
  refresh();
  return store;
}

async function provideCodeLenses({ uri }: vscode.TextDocument): Promise<vscode.CodeLens[]> {
  const symbols = await vscode.commands.executeCommand<readonly vscode.DocumentSymbol[] | undefined>(
    'vscode.executeDocumentSymbolProvider',
    uri,
  );
  return functionsIn(symbols ?? [])
    .slice(0, MAX_LENSES)
    .flatMap(({ range, selectionRange }) => {
      const lines = [uri, range] as const;
      const at = new vscode.Range(selectionRange.start, selectionRange.start);
      return [
        new vscode.CodeLens(at, { title: t('Ask Agent'), command: 'parley.addToChat', arguments: [...lines] }),
        new vscode.CodeLens(at, { title: t('Explain with Agent'), command: 'parley.explain', arguments: [...lines] }),
      ];
    });
}

/** Includes methods of classes, but no nested functions. */
function functionsIn(symbols: readonly vscode.DocumentSymbol[]): vscode.DocumentSymbol[] {
  return symbols.flatMap((symbol) => (KINDS.has(symbol.kind) ? [symbol] : functionsIn(symbol.children ?? [])));
}
