import Module from 'node:module';

/** Stands in for `vscode` as far as commands and tools of the editor are run. Import it before what uses `vscode`. */

/** Commands that were run, with their arguments. */
export const ran: unknown[][] = [];

class CancellationTokenSource {
  readonly token = {};
  cancel(): void {
    ran.push(['canceled']);
  }
  dispose(): void {
    this.cancel = () => undefined;
  }
}

class Part {
  readonly value: string;

  constructor(value: string) {
    this.value = value;
  }
}

const stub = {
  CancellationTokenSource,
  LanguageModelTextPart: Part,
  LanguageModelDataPart: Map,
  LanguageModelPromptTsxPart: Set,
  commands: { executeCommand: async (...args: unknown[]) => void ran.push(args) },
  workspace: {
    textDocuments: [],
    applyEdit: async () => true,
    asRelativePath: (uri: { fsPath: string }) => uri.fsPath,
  },
};

const loader = Module as unknown as { _load(id: string, ...rest: unknown[]): unknown };
const load = loader._load.bind(loader);
loader._load = (id, ...rest) => (id === 'vscode' ? stub : load(id, ...rest));
