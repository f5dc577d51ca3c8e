export interface WorkspaceOptions {
  /** Path in the workspace → text; added to the sample's files or put in their place. */
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
  /** What VS Code opens: the folder, or the file of a workspace with two folders. */
  readonly place: string;
  /** Gives its files back the content that they had at first; what git knows stays. */
  restore(): Promise<void>;
  dispose(): Promise<void>;
}

export function makeTemporaryFolder(name: string): Promise<string>;
export function removeFolder(folder: string): Promise<void>;
export function makeWorkspace(options?: WorkspaceOptions): Promise<Workspace>;
