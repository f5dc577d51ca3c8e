import * as vscode from 'vscode';
import { errorMessage } from '../../base/errors';
import { t } from '../../base/l10n';
import { escapeInvisibleInline, plainLabel } from '../../base/untrustedText';
import type { RuleStore } from '../../permissions/rememberedRules';
import { ruleEngine } from '../../permissions/ruleEngine';
import type { Rule } from '../../permissions/rules/permissionRule';
import { readRule } from '../../permissions/rules/permissionRule';
import { decidedBy, suggestedRules, widerRules } from '../../permissions/rules/rulePreview';
import type { RuleRequest } from '../../permissions/rules/ruleRequest';
import { DECISION_LABELS, ruleSentence } from '../../permissions/rules/ruleSentence';
import { rulesFromAnswer } from '../../permissions/rules/rulesFromAnswer';
import { toRuleRequest } from '../../permissions/toolCallRequest';
import type { Session } from '../../session/session';
import { entriesFrom } from '../../shared/state/entryPages';
import type { PermissionEntry, RememberScope } from '../../shared/state/toolCallState';
import type { ShowNotice } from '../../workbench/notice';
import { showInputBox } from '../../workbench/windowMessages';

/** Maximum number of tool calls that a preview covers, and of rules that it suggests. */
const MAX_REQUESTS = 500;
const MAX_SUGGESTIONS = 20;
/** Maximum number of titles that a preview names. */
const MAX_NAMED = 3;

type Field = 'command' | 'path' | 'tool' | 'title';

interface Subject extends vscode.QuickPickItem {
  /** The user must enter the value. */
  readonly field?: Field;
  /** The rules are suggested because of a tool call in the session. */
  readonly rules?: readonly Rule[];
}

/**
 * "Add Rule…": creates a remembered rule from a decision, a pattern and a scope. A preview shows which tool calls of this session it
 * matches.
 */
export class AddRule {
  readonly #rules: RuleStore;
  /** The one in sight at the start, also if the user selects another one meanwhile. */
  readonly #session: Session;
  readonly #requests: readonly RuleRequest[];

  constructor(
    remembered: RuleStore,
    sessions: { readonly active: Session },
    private readonly showNotice: ShowNotice,
  ) {
    this.#rules = remembered;
    this.#session = sessions.active;
    this.#requests = requestsOf(sessions.active);
  }

  /**
   * Settles when the rule is stored, or a step is closed.
   * @param trusted patterns of the tools that entries of MCP servers allow
   */
  async show(trusted: readonly string[] = []): Promise<void> {
    const decision = await pickDecision();
    const rule = decision && (await this.#pickRule(decision, decision === 'allow' ? trusted : []));
    if (rule) await this.#store(() => [rule]);
  }

  /** "Remember…": a rule from an answered request, with its decision. It starts with exactly this request. */
  async remember(permissionId: string): Promise<void> {
    const permission = findPermission(this.#session, permissionId);
    const decision = permission && answerOf(permission);
    if (!decision) return;
    // Not of the call as it is now: the agent may have changed it after the answer.
    const request = this.#session.userRequests.answeredRequest(permissionId);
    const created: ReturnType<typeof rulesFromAnswer> = request
      ? rulesFromAnswer(request, decision)
      : { rules: [], note: t('This request was answered before the window was opened. You can enter a rule.') };
    const [first, ...others] = created.rules;
    const exact = first ? [this.#suggestion(created.rules)] : [];
    const isUseful = (rule: Rule): boolean => request !== undefined && decidedBy([rule], [request]).length > 0;
    const wider = first && others.length === 0 ? widerRules(first).filter(isUseful) : [];
    const title = t('Remember: {0}', DECISION_LABELS[decision]);
    const rows: Subject[] = [
      ...exact,
      ...wider.map((rule) => this.#suggestion([rule])),
      { label: t('Other Rule'), kind: SEPARATOR },
      ...SUBJECTS,
    ];
    const picked = await vscode.window.showQuickPick(rows, {
      title,
      placeHolder: 'note' in created ? created.note : t('Select what the rule matches'),
    });
    if (!picked) return;
    if (request && picked.rules === created.rules)
      return this.#store((scope) => rulesFromAnswer(request, decision, scope).rules);
    const [rule] = picked.rules ?? [await this.#enter(decision, picked.field ?? 'command', title)];
    if (rule) await this.#store(() => [rule]);
  }

  /** @param rulesFor the rules with a scope: a wider scope may mean wider rules */
  async #store(rulesFor: (scope: RememberScope) => readonly Rule[]): Promise<void> {
    const scope = await this.#pickScope(rulesFor);
    if (!scope) return;
    const rules = rulesFor(scope);
    const { id } = this.#session;
    try {
      for (const rule of rules) await this.#rules.add(rule, scope, id);
      this.showNotice({ text: t('Rule added. {0}', escapeInvisibleInline(ruleSentences(rules))) }, id);
    } catch (error) {
      const text = t('Could not save this rule: {0}. The rule applies only in this window.', errorMessage(error));
      this.showNotice({ text, isWarning: true }, id);
    }
  }

  async #pickRule(decision: Rule['decision'], trusted: readonly string[]): Promise<Rule | undefined> {
    const suggestions = suggestedRules(decision, this.#requests.toReversed()).slice(0, MAX_SUGGESTIONS);
    const subjects: Subject[] = [
      ...SUBJECTS,
      { label: t('From This Session'), kind: SEPARATOR },
      ...suggestions.map((rule) => this.#suggestion([rule])),
      ...(trusted.length > 0 ? [{ label: t('From Entries of MCP Servers'), kind: SEPARATOR }] : []),
      ...trusted.map((tool) => this.#suggestion([{ decision, tool }])),
    ];
    const title = t('Add Rule: {0}', DECISION_LABELS[decision]);
    const subject = await vscode.window.showQuickPick(subjects, {
      title,
      placeHolder: t('Select what the rule matches'),
    });
    if (!subject) return undefined;
    return subject.rules?.[0] ?? this.#enter(decision, subject.field ?? 'command', title);
  }

  #suggestion(rules: readonly Rule[]): Subject {
    return { label: plainLabel(rules.map(ruleSentence).join('; ')), description: this.#preview(rules), rules };
  }

  async #enter(decision: Rule['decision'], field: Field, title: string): Promise<Rule | undefined> {
    const ruleOf = (value: string): Rule => ({ decision, [field]: value });
    const value = await showInputBox({
      title,
      prompt: PROMPTS[field],
      ignoreFocusOut: true,
      validateInput: (text) => {
        if (text === '') return undefined;
        let problem: string | undefined;
        readRule(ruleOf(text), (message) => (problem ??= message));
        if (problem !== undefined) return problem;
        return { message: this.#preview([ruleOf(text)]), severity: vscode.InputBoxValidationSeverity.Info };
      },
    });
    return value === undefined || value === '' ? undefined : ruleOf(value);
  }

  /** Where the scopes have different rules, each row shows its own. */
  async #pickScope(rulesFor: (scope: RememberScope) => readonly Rule[]): Promise<RememberScope | undefined> {
    const places = [
      { label: t('Session'), description: t('In this session, until the window is closed'), scope: 'session' },
      { label: t('Workspace'), description: t('In all sessions in this workspace'), scope: 'workspace' },
      { label: t('Everywhere'), description: t('In all workspaces'), scope: 'everywhere' },
    ] as const;
    const rules = rulesFor('session');
    const sentences = places.map(({ scope }) => plainLabel(ruleSentences(rulesFor(scope))));
    const [first] = sentences;
    if (sentences.every((sentence) => sentence === first)) {
      const options = { title: plainLabel(ruleSentences(rules)), placeHolder: this.#preview(rules) };
      return (await vscode.window.showQuickPick(places, options))?.scope;
    }
    const rows = places.map((place, at) => Object.assign({ detail: sentences[at] ?? '' }, place));
    const options = { title: t('Add Rule'), placeHolder: t('Select what the rule matches') };
    return (await vscode.window.showQuickPick(rows, options))?.scope;
  }

  /** "Matches 2 of 9 tool calls in this session: npm test, npm run lint". */
  #preview(rules: readonly Rule[]): string {
    const decided = decidedBy(rules, this.#requests);
    const count = t('Matches {0} of {1} tool calls in this session', decided.length, this.#requests.length);
    const names = [...new Set(decided.map(({ title }) => title))].slice(0, MAX_NAMED);
    return plainLabel(names.length === 0 ? count : t('{0}: {1}', count, names.join(', ')));
  }
}

const SEPARATOR = vscode.QuickPickItemKind.Separator;
const SUBJECTS: readonly Subject[] = [
  {
    label: t('$(terminal) Command…'),
    description: t('words of a command, such as npm run test:*'),
    field: 'command',
  },
  { label: t('$(file) Files…'), description: t('a glob pattern, such as src/**'), field: 'path' },
  { label: t('$(tools) Tool…'), description: t('a tool of an MCP server, such as code__*'), field: 'tool' },
  { label: t('$(symbol-string) Title…'), description: t('the title of a request'), field: 'title' },
];

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
    { label: `$(check) ${DECISION_LABELS.allow}`, description: t('Allow without asking'), decision: 'allow' },
    {
      label: `$(question) ${DECISION_LABELS.ask}`,
      description: t('Ask, even if other rules allow it'),
      decision: 'ask',
    },
    { label: `$(close) ${DECISION_LABELS.deny}`, description: t('Reject without asking'), decision: 'deny' },
  ];
  const picked = await vscode.window.showQuickPick(rows, { title: t('Add Rule'), placeHolder: t('Select a decision') });
  return picked?.decision;
}

function requesterOf({ state, cwd, folders }: Session): Parameters<typeof toRuleRequest>[3] {
  const confined = vscode.workspace.isTrusted ? undefined : 'untrusted';
  return { agent: state.agent?.name ?? '', cwd, folders, confined };
}

function requestsOf(session: Session): readonly RuleRequest[] {
  const { entries } = session.state;
  const requester = requesterOf(session);
  const tools = Array.from(entriesFrom(entries, Math.max(0, entries.count - MAX_REQUESTS)));
  return tools.flatMap(([, entry]) =>
    entry.kind === 'tool' ? toRuleRequest(ruleEngine, entry, entry.title, requester) : [],
  );
}

function findPermission({ state }: Session, permissionId: string): PermissionEntry | undefined {
  for (const [, entry] of entriesFrom(state.entries)) {
    if (entry.kind === 'permission' && entry.permissionId === permissionId) return entry;
  }
  return undefined;
}

function answerOf({ outcome, options }: PermissionEntry): 'allow' | 'deny' | undefined {
  if (outcome?.type !== 'selected') return undefined;
  const kind = options.find(({ optionId }) => optionId === outcome.optionId)?.kind;
  return kind === 'allow_once' || kind === 'allow_always' ? 'allow' : 'deny';
}

function ruleSentences(rules: readonly Rule[]): string {
  const decision = DECISION_LABELS[rules[0]?.decision ?? 'ask'];
  return t('{0}: {1}', decision, rules.map(ruleSentence).join('; '));
}
