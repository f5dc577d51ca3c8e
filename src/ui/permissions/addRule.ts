import * as vscode from 'vscode';
import { errorMessage } from '../../base/errors';
import { t } from '../../base/l10n';
import { escapeIconSyntax, escapeInvisibleInline } from '../../base/untrustedText';
import type { Rule } from '../../permissions/rules/permissionRule';
import { readRule } from '../../permissions/rules/permissionRule';
import { decidedBy, suggestedRules } from '../../permissions/rules/rulePreview';
import type { RuleRequest } from '../../permissions/rules/ruleRequest';
import { DECISION_WORDS, ruleSentence } from '../../permissions/rules/ruleSentence';
import type { RuleStore } from '../../permissions/rules/rememberedRules';
import { toRuleRequest } from '../../permissions/toolCallRequest';
import { entriesFrom } from '../../shared/state/entryPages';
import type { RememberScope } from '../../shared/state/toolCallState';
import type { UiSession } from '../uiTypes';

export interface AddRuleOptions {
  readonly remembered: Pick<RuleStore, 'add'>;
  readonly sessions: { readonly active: UiSession };
}

/** Maximum number of tool calls that a preview covers, and of rules that it suggests. */
const MAX_REQUESTS = 500;
const MAX_SUGGESTIONS = 20;
/** Maximum number of titles that a preview names. */
const MAX_NAMED = 3;

type Field = 'command' | 'path' | 'tool' | 'title';

interface Subject extends vscode.QuickPickItem {
  /** The user must enter the value. */
  readonly field?: Field;
  /** The rule is suggested because of a tool call in the session. */
  readonly rule?: Rule;
}

/**
 * "Add Rule…": creates a remembered rule from a decision, a pattern and a scope. A preview shows which tool calls of this session it
 * matches.
 */
export class AddRule {
  readonly #options: AddRuleOptions;
  readonly #requests: readonly RuleRequest[];

  constructor(options: AddRuleOptions) {
    this.#options = options;
    this.#requests = requestsOf(options.sessions.active);
  }

  /** Settles when the rule is stored, or a step is closed. */
  async show(): Promise<void> {
    const decision = await pickDecision();
    const rule = decision && (await this.#pickRule(decision));
    const scope = rule && (await this.#pickScope(rule));
    if (!scope) return;
    const { remembered, sessions } = this.#options;
    const text = plain(t('{0}: {1}', DECISION_WORDS[rule.decision], ruleSentence(rule)));
    try {
      await remembered.add(rule, scope, sessions.active.id);
      void vscode.window.showInformationMessage(t('Rule added. {0}', text));
    } catch (error) {
      const sentence = t('Could not save this rule: {0}. The rule applies only in this window.', errorMessage(error));
      void vscode.window.showWarningMessage(sentence);
    }
  }

  async #pickRule(decision: Rule['decision']): Promise<Rule | undefined> {
    const suggestions = suggestedRules(decision, this.#requests.toReversed()).slice(0, MAX_SUGGESTIONS);
    const subjects: Subject[] = [
      {
        label: t('$(terminal) Command…'),
        description: t('words of a command, such as npm run test:*'),
        field: 'command',
      },
      { label: t('$(file) Files…'), description: t('a glob pattern, such as src/**'), field: 'path' },
      { label: t('$(tools) Tool…'), description: t('a tool of an MCP server, such as code__*'), field: 'tool' },
      { label: t('$(symbol-string) Title…'), description: t('the title of a request'), field: 'title' },
      { label: t('From This Session'), kind: vscode.QuickPickItemKind.Separator },
      ...suggestions.map((rule) => ({ label: plain(ruleSentence(rule)), description: this.#preview(rule), rule })),
    ];
    const title = t('Add Rule: {0}', DECISION_WORDS[decision]);
    const subject = await vscode.window.showQuickPick(subjects, {
      title,
      placeHolder: t('Select what the rule matches'),
    });
    if (!subject) return undefined;
    return subject.rule ?? this.#enter(decision, subject.field ?? 'command', title);
  }

  async #enter(decision: Rule['decision'], field: Field, title: string): Promise<Rule | undefined> {
    const ruleOf = (value: string): Rule => ({ decision, [field]: value });
    const value = await vscode.window.showInputBox({
      title,
      prompt: PROMPTS[field],
      ignoreFocusOut: true,
      validateInput: (text) => {
        if (text === '') return undefined;
        let problem: string | undefined;
        readRule(ruleOf(text), (message) => (problem ??= message));
        if (problem !== undefined) return problem;
        return { message: this.#preview(ruleOf(text)), severity: vscode.InputBoxValidationSeverity.Info };
      },
    });
    return value === undefined || value === '' ? undefined : ruleOf(value);
  }

  async #pickScope(rule: Rule): Promise<RememberScope | undefined> {
    const scopes: (vscode.QuickPickItem & { readonly scope: RememberScope })[] = [
      { label: t('Session'), description: t('In this session, until the window is closed'), scope: 'session' },
      { label: t('Workspace'), description: t('In all sessions in this workspace'), scope: 'workspace' },
      { label: t('Everywhere'), description: t('In all workspaces'), scope: 'everywhere' },
    ];
    const title = plain(t('{0}: {1}', DECISION_WORDS[rule.decision], ruleSentence(rule)));
    return (await vscode.window.showQuickPick(scopes, { title, placeHolder: this.#preview(rule) }))?.scope;
  }

  /** "Matches 2 of 9 tool calls in this session: npm test, npm run lint". */
  #preview(rule: Rule): string {
    const decided = decidedBy(rule, this.#requests);
    const count = t('Matches {0} of {1} tool calls in this session', decided.length, this.#requests.length);
    const names = [...new Set(decided.map(({ title }) => title))].slice(0, MAX_NAMED);
    return plain(names.length === 0 ? count : t('{0}: {1}', count, names.join(', ')));
  }
}

const PROMPTS: Readonly<Record<Field, string>> = {
  command: t(
    'Words of the command. * inside a word matches any characters; * alone matches one word; ** at the end matches all remaining words.',
  ),
  path: t('Glob pattern: src/** from each workspace folder, *.md for names in any folder, or an absolute path.'),
  tool: t('Tool of an MCP server as server__tool. * matches any text.'),
  title: t('Title of the request. * matches any text. A title alone never allows a command or a file.'),
};

async function pickDecision(): Promise<Rule['decision'] | undefined> {
  const rows: (vscode.QuickPickItem & { readonly decision: Rule['decision'] })[] = [
    { label: `$(check) ${DECISION_WORDS.allow}`, description: t('Allow without asking'), decision: 'allow' },
    {
      label: `$(question) ${DECISION_WORDS.ask}`,
      description: t('Ask, even if other rules allow it'),
      decision: 'ask',
    },
    { label: `$(close) ${DECISION_WORDS.deny}`, description: t('Reject without asking'), decision: 'deny' },
  ];
  const picked = await vscode.window.showQuickPick(rows, { title: t('Add Rule'), placeHolder: t('Select a decision') });
  return picked?.decision;
}

function requestsOf({ state, folders }: UiSession): readonly RuleRequest[] {
  const agent = state.agent?.name ?? '';
  const confined = vscode.workspace.isTrusted ? undefined : 'untrusted';
  const tools = Array.from(entriesFrom(state.entries, Math.max(0, state.entries.count - MAX_REQUESTS)));
  return tools.flatMap(([, entry]) =>
    entry.kind === 'tool' ? toRuleRequest(entry, entry.title, { agent, folders, confined }) : [],
  );
}

function plain(text: string): string {
  return escapeIconSyntax(escapeInvisibleInline(text));
}
