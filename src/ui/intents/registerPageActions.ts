import { Lazy } from '../../base/lazy';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { AgentInstaller } from '../agents/installAgent';
import type { Presets } from '../agents/presets';
import type { WorkspaceFileIndex } from '../attachments/workspaceFileIndex';
import { ContentActions } from '../chat/content/contentActions';
import { DiffDocuments } from '../chat/content/toolDiffDocuments';
import type { EditorActions } from '../editorActions/registerEditorActions';
import { withErrorMessage } from '../reportErrors';
import type { FolderCommands } from '../sessions/folderCommands';
import type { Window } from '../window';
import type { WorktreeUi } from '../worktrees/registerWorktrees';
import { EditorIntents } from './editorIntents';
import { IntentRouter } from './intentRouter';

/** The features that user actions in pages reach. */
interface Features {
  readonly folders: FolderCommands;
  readonly installAgent: AgentInstaller;
  readonly presets: Lazy<Presets>;
  readonly editorActions: EditorActions;
  readonly worktrees: WorktreeUi;
}

interface IntentsFeature extends Disposable {
  /** Sends the plan of the active editor. */
  readonly sendPlan: () => Promise<void>;
  /** Shows the last diagram of the session used last. */
  readonly showDiagram: () => Promise<void>;
}

/** Carries out user actions in pages. */
export function registerPageActions(window: Window, features: Features, paths: WorkspaceFileIndex): IntentsFeature {
  const { sessions, chat, notices, permissions, review, terminals } = window;
  const store = new DisposableStore();
  const plans = new Lazy(async () => {
    const { PlanEditor } = await import('../chat/content/planEditor');
    return store.add(new PlanEditor(notices.show));
  });
  const entries = store.add(new ContentActions(paths, review, notices.show));
  const diffs = store.add(new DiffDocuments(sessions, notices.show));
  const editor = new EditorIntents(permissions, terminals, plans, notices.show);
  const { attachments, branches, follow, log, tools } = window;
  const services = { attachments, branches, follow, log, review, terminals, tools };
  const router = new IntentRouter({ ...services, ...features, entries, diffs, editor });
  store.add(chat.onDidAct(({ intent, from }) => void router.handle(intent, from)));
  return {
    sendPlan: () => withErrorMessage(async () => (await plans.load()).send()),
    showDiagram: () => withErrorMessage(() => entries.showLastDiagram(sessions.active)),
    dispose: () => store.dispose(),
  };
}
