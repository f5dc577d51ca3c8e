export interface WorkspaceOptions {
  /** Path in the workspace → text; added to the sample's files or replacing them. */
  readonly files?: Readonly<Record<string, string>>;
  /** Path → text of a second folder, "other", beside it. */
  readonly otherFiles?: Readonly<Record<string, string>>;
  /** False: start from an empty folder. */
  readonly sample?: boolean;
  /** False: no git repository. */
  readonly git?: boolean;
}

export interface Workspace {
  readonly folder: string;
  /** The path that VS Code opens: the folder, or the `.code-workspace` file of two folders. */
  readonly place: string;
  /** Restores the original content of the files; the git repository is unchanged. */
  restore(): Promise<void>;
  /** Replaces the files that were added to the sample, and commits that. */
  replace(files: Readonly<Record<string, string>>): Promise<void>;
  dispose(): Promise<void>;
}

export function makeTemporaryFolder(name: string): Promise<string>;
export function removeFolder(folder: string): Promise<void>;
export function makeWorkspace(options?: WorkspaceOptions): Promise<Workspace>;
