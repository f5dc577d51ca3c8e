import * as vscode from 'vscode';
import type { AgentDefinition } from '../agent/definition';
import type { WorkspaceAgent } from '../agent/workspaceAgents';
import { contentHash, contentOf, describeAgent, isOfWorkspace } from '../agent/workspaceAgents';
import { ParleyError } from '../base/errors';
import { withoutLinks } from '../base/visible';
import type { Approvals } from './approvals';
import type { PlainDocuments } from './plainDocuments';

/** A dialog shows so much without hiding its end; longer ones are read in an editor. Lines of about 60 characters. */
const MOST_LINES = 24;
const LINE = 60;

export interface ConfirmAgentOptions {
  readonly approvals: Approvals;
  /** Where agents without a folder of their own run: absolute. */
  readonly folder: () => string;
  readonly documents: PlainDocuments;
}

/** Stands before every start of an agent that the workspace defines (issue 4; security: executable settings from the workspace). */
export class ConfirmAgent {
  readonly #options: ConfirmAgentOptions;
  /** Questions that are open, by what they are about: several sessions may start the same agent. */
  readonly #asking = new Map<string, Promise<boolean>>();

  constructor(options: ConfirmAgentOptions) {
    this.#options = options;
  }

  /** Settles when the agent may be started. The person's own agents always may. @throws ParleyError `untrusted` when this one may not */
  async allow(definition: AgentDefinition): Promise<void> {
    if (!isOfWorkspace(definition)) return;
    const { title, workspace } = definition;
    if (!vscode.workspace.isTrusted) {
      throw new ParleyError('untrusted', `${title} was not started: ${workspace.place} is not trusted`, {
        nextStep: 'Trust the workspace (“Workspaces: Manage Workspace Trust”), or choose an agent of your own.',
      });
    }
    const content = contentOf(definition);
    if (this.#options.approvals.decision(subjectOf(definition), content) === 'allowed') return;
    if (await this.#askOnce(definition, content)) return;
    throw new ParleyError('untrusted', `${title} was not started: you did not allow it`, {
      nextStep: 'Try again to be asked again, or choose another agent.',
    });
  }

  #askOnce(definition: WorkspaceAgent, content: string): Promise<boolean> {
    const key = `${definition.name} ${contentHash(content)}`;
    const asking = this.#asking.get(key) ?? this.#ask(definition, content).finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    return asking;
  }

  async #ask(definition: WorkspaceAgent, content: string): Promise<boolean> {
    const { approvals, folder } = this.#options;
    const lines = describeAgent(definition, folder());
    const known = approvals.isKnown(subjectOf(definition));
    const allowed = fits(lines) ? await askAll(definition, lines, known) : await this.#askInEditor(definition, lines);
    if (allowed) await approvals.keep(subjectOf(definition), content, 'allowed');
    return allowed;
  }

  /** The end of a long text would be out of sight in a dialog, with whatever stands there. */
  async #askInEditor(definition: WorkspaceAgent, lines: readonly string[]): Promise<boolean> {
    const show = 'Show All';
    const message = question(definition);
    const detail = `What it would run is too long for this dialog (${lines.join('\n').length} characters). Read it in the editor before you decide.`;
    if ((await vscode.window.showWarningMessage(message, { modal: true, detail }, show)) !== show) return false;
    await this.#options.documents.show(`${definition.title}.txt`, [...lines, '', ...NOTES].join('\n'));
    const start = 'Start Agent';
    const sentence = withoutLinks(`${message} The editor shows all of what would be run.`);
    return (await vscode.window.showWarningMessage(sentence, start, "Don't Start")) === start;
  }
}

const NOTES = [
  'It runs with your rights, like any program that you start.',
  'Parley asks again when any of this changes, but cannot see changes inside the program.',
];

async function askAll(definition: WorkspaceAgent, lines: readonly string[], known: boolean): Promise<boolean> {
  const start = 'Start Agent';
  const changed = known ? ['It has changed since you allowed it.', ''] : [];
  const detail = [...changed, ...lines, '', ...NOTES].join('\n');
  return (await vscode.window.showWarningMessage(question(definition), { modal: true, detail }, start)) === start;
}

function question({ title, workspace }: WorkspaceAgent): string {
  return `Start “${title}”, an agent that ${workspace.place} defines?`;
}

function fits(lines: readonly string[]): boolean {
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / LINE)), 0) <= MOST_LINES;
}

function subjectOf({ name }: WorkspaceAgent): string {
  return `agent:${name}`;
}
