import * as vscode from 'vscode';
import { DelayedCall } from '../../base/clock';
import { t } from '../../base/l10n';
import { DisposableStore } from '../../base/lifecycle';
import { plainLabel } from '../../base/untrustedText';
import type { ServerPrompt, ServerResource } from '../../session/serverContent';

type Values = Readonly<Record<string, string>>;

interface Row extends vscode.QuickPickItem {
  readonly value: string;
}

/** Milliseconds without typing before the server is asked for suggestions. */
const TYPING_PAUSE_MS = 150;

/**
 * Asks for the arguments that have no value yet, one after the other, with the suggestions of the server.
 * @param title names what they are for
 * @returns all values; undefined when the user cancels
 */
export async function askArguments(
  title: string,
  fillable: ServerPrompt | ServerResource,
  given: Values,
): Promise<Values | undefined> {
  const open = fillable.arguments.filter(({ name }) => given[name] === undefined);
  const values: Record<string, string> = { ...given };
  for (const [index, { name, description, required }] of open.entries()) {
    const list = vscode.window.createQuickPick<Row>();
    list.title = plainLabel(open.length > 1 ? `${title} (${index + 1}/${open.length})` : title);
    list.placeholder = plainLabel([name, description].filter(Boolean).join(': '));
    // One after the other: a suggestion may depend on earlier values.
    const value = await new ValuePick(list, required, (typed) => fillable.complete(name, typed, { ...values })).pick();
    if (value === undefined) return undefined;
    if (value !== '') values[name] = value;
  }
  return values;
}

/** A list of suggestions for one value, in which any text can be typed. */
class ValuePick {
  readonly #store = new DisposableStore();
  readonly #later = this.#store.add(new DelayedCall(TYPING_PAUSE_MS, () => void this.#suggest()));
  #suggested: readonly string[] = [];

  constructor(
    private readonly list: vscode.QuickPick<Row>,
    private readonly isRequired: boolean,
    private readonly complete: (typed: string) => Promise<readonly string[]>,
  ) {
    this.#store.add(list);
  }

  /** Undefined when the user cancels, empty when the user skips a value that is not required. */
  pick(): Promise<string | undefined> {
    const { list } = this;
    return new Promise((resolve) => {
      const finish = (value: string | undefined): void => {
        resolve(value);
        this.#store.dispose();
      };
      this.#store.add(list.onDidChangeValue(() => this.#onDidType()));
      this.#store.add(
        list.onDidAccept(() => {
          const value = list.selectedItems[0]?.value ?? list.value;
          if (value !== '' || !this.isRequired) finish(value);
        }),
      );
      this.#store.add(list.onDidHide(() => finish(undefined)));
      list.ignoreFocusOut = true;
      this.#show();
      list.show();
      void this.#suggest();
    });
  }

  #onDidType(): void {
    this.#show();
    this.#later.restart();
  }

  #show(): void {
    const { list } = this;
    const typed = list.value;
    const own = typed === '' ? [] : [{ label: plainLabel(typed), description: t('as typed'), value: typed }];
    const others = this.#suggested
      .filter((one) => one !== typed)
      .map((one) => ({ label: plainLabel(one), value: one, alwaysShow: true }));
    const skip = typed === '' && !this.isRequired ? [{ label: t('Skip'), value: '', alwaysShow: true }] : [];
    list.items = [...own, ...others, ...skip];
  }

  async #suggest(): Promise<void> {
    const { list } = this;
    const typed = list.value;
    list.busy = true;
    const found = await this.complete(typed).catch(() => []);
    if (typed !== list.value) return;
    list.busy = false;
    this.#suggested = found;
    this.#show();
  }
}

/** The command with its values, as the user could type it. */
export function promptCommandText({ command, arguments: args }: ServerPrompt, values: Values): string {
  const words = args.flatMap(({ name }) => {
    const value = values[name];
    return value === undefined ? [] : [`${name}="${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`];
  });
  return [`/${command}`, ...words].join(' ');
}

/** RFC 6570, level 1, and `{+name}`, whose value is not encoded. */
export function expandTemplate(pattern: string, values: Values): string {
  return pattern.replaceAll(/\{([+#./;?&]?)([^{}]*)\}/g, (_all, operator: string, names: string) => {
    const given = names.split(',').map((name) => name.replace(/(?:\*|:\d+)$/, ''));
    const encode = operator === '+' || operator === '#' ? encodeURI : encodeURIComponent;
    const separator = operator === '?' || operator === '&' ? '&' : ({ '/': '/', '.': '.', ';': ';' }[operator] ?? ',');
    const isNamed = operator === '?' || operator === '&' || operator === ';';
    const parts = given.map((name) => `${isNamed ? `${name}=` : ''}${encode(values[name] ?? '')}`);
    return (operator === '+' ? '' : operator) + parts.join(separator);
  });
}
