import * as vscode from 'vscode';
import type { Disposable } from '../base/lifecycle';

/** Runs a job now, and again in a workspace that becomes trusted, where Git may run. Never at the same time. */
export function runAgainOnTrust(job: () => Promise<void>): Disposable {
  let running = job();
  return vscode.workspace.onDidGrantWorkspaceTrust(() => (running = running.then(job)));
}
