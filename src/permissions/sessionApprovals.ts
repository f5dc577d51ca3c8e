import { t } from '../base/l10n';
import { toolCommand, toolCwd } from '../shared/text/toolInput';
import { canonicalJson } from './auditLog';
import { readCommand } from './rules/requestFacts';
import type { RuleRequest } from './rules/ruleRequest';
import { isReadOnlyKind } from './rules/ruleRequest';
import { relevantVariables } from './rules/commandVariables';

/**
 * What the user has allowed one caller in a session, beyond rules: for the turn by answering the agent's question, so that the same
 * file or command is not asked about again when the agent then uses it; for the session by answering a question of Parley's own.
 */
export class SessionApprovals {
  readonly #turn = new Set<string>();
  readonly #session = new Set<string>();

  /** The agent's question was answered with yes. */
  approve(request: RuleRequest): void {
    for (const key of grantedKeys(request)) this.#turn.add(key);
  }

  /**
   * A question of Parley's own was answered with "for this session".
   * @param input arguments of the tool
   */
  remember(request: RuleRequest, input: unknown): void {
    for (const key of grantedKeys(request, input)) this.#session.add(key);
  }

  /** Why a request that neither a protection nor a rule asks about needs no question; undefined when it does. */
  reasonFor(request: RuleRequest, input: unknown): string | undefined {
    const keys = neededKeys(request, input);
    if (keys.length > 0 && keys.every((key) => this.#session.has(key))) return t('you allowed it for this session');
    return keys.length > 0 && keys.every((key) => this.#turn.has(key)) ? APPROVED : undefined;
  }

  /**
   * As {@link reasonFor}, where a protection or a rule asks: only the agent's own question about the same counts, which was asked for
   * the same reason. What would be written was shown for one writing.
   * @param isAgreed the agent has asked about exactly this call of the tool
   */
  approvedReason({ tool, ...request }: RuleRequest, isAgreed: boolean): string | undefined {
    if (tool !== undefined && !isAgreed) return undefined;
    const keys = neededKeys(request);
    if (keys.length === 0 || !keys.every((key) => this.#turn.has(key))) return undefined;
    for (const key of keys) if (key.startsWith('write ')) this.#turn.delete(key);
    return APPROVED;
  }

  endTurn(): void {
    this.#turn.clear();
  }
}

const APPROVED = t('you approved it in this turn');

/** What must have been approved: each file and what is done to it, the command and its folder, or the tool with either. */
function neededKeys(request: RuleRequest, input?: unknown): readonly string[] {
  const { kind, paths, command, tool, folders } = request;
  if (command) return [commandKey(command, folders)];
  const use = isReadOnlyKind(kind) ? 'read' : 'write';
  const files = paths.map((path) => `${use} ${path}`);
  if (tool === undefined) return files;
  // A tool of another server may run what its arguments say.
  const run = toolCommand(input);
  const name = `tool ${tool}${run ? ` runs ${canonicalJson([run, toolCwd(input) ?? ''])}` : ''}`;
  return files.length === 0 ? [name] : files.map((file) => `${name} ${file}`);
}

/** Who may write a file may read it, never the reverse: what a page was fetched into the user was not asked to have written. */
function grantedKeys(request: RuleRequest, input?: unknown): readonly string[] {
  return [...neededKeys(request, input), ...neededKeys({ ...request, kind: 'read' }, input)];
}

function commandKey(command: NonNullable<RuleRequest['command']>, folders: RuleRequest['folders']): string {
  const { commands, redirects, problem } = readCommand(command);
  const [only, ...more] = commands;
  // "npm test" as a line, and as a program with an argument, are the same.
  const isPlain = only && more.length === 0 && redirects.length === 0 && problem === undefined;
  const what = isPlain ? canonicalJson(only) : `line ${command.line ?? canonicalJson(command.argv)}`;
  const variables = relevantVariables(command);
  const where = command.cwd ?? folders[0] ?? '';
  // As JSON, so that no text of the command can look like another folder.
  return `command ${canonicalJson([what, where, variables ?? {}])}`;
}
