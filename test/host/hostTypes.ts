import type { Browser, BrowserContext } from 'playwright-core';

/** How a VS Code server is started. */
export interface ServerOptions {
  /** A folder of installed extensions (`installVsix`). Default: none. */
  readonly extensions?: string;
  /** A folder with the built-in extensions of VS Code to use (`linkBuiltIns`). Default: all. */
  readonly builtIns?: string;
  /** User settings; they also apply as machine settings. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Machine settings only. */
  readonly machineSettings?: Readonly<Record<string, unknown>>;
  /** The user's key bindings (`keybindings.json`). Default: none. */
  readonly keys?: readonly object[];
  /** True: the window asks for workspace trust. False (default): all workspaces are trusted. */
  readonly workspaceTrust?: boolean;
  /** True: the page may name an extension under development and its tests (`payload` of `open`). */
  readonly smokeDriver?: boolean;
  /** Environment variables added to the clean environment of the server. */
  readonly env?: Readonly<Record<string, string>>;
  /** Absolute path of a CommonJS module that the server and its extension host preload. */
  readonly preload?: string;
  /** 0 (default): any free port. */
  readonly port?: number;
}

/** A running VS Code server. */
export interface Server {
  readonly pid: number;
  readonly port: number;
  readonly folders: {
    readonly home: string;
    readonly temporary: string;
    readonly serverData: string;
    readonly userData: string;
    readonly extensions: string;
  };
  /** The URI of a file in the workbench. */
  remote(path: string): string;
  /** The URL that opens a folder, or the folders of a `.code-workspace` file. */
  open(workspace: string, payload?: readonly (readonly [string, string])[]): string;
  /** All output of stdout and stderr. */
  output(): string;
  /** Whether another window may be opened: the server runs, and keeps no shells of an earlier window. */
  isReusable(): boolean;
  /** Empties home and user data and writes these settings, so that the next window starts fresh. */
  reset(options: Pick<ServerOptions, 'settings' | 'machineSettings' | 'keys'>): Promise<void>;
  /** Replaces the settings; an open window applies them a moment later. */
  configure(options: Pick<ServerOptions, 'settings' | 'machineSettings' | 'keys'>): Promise<void>;
  /** Waits until git no longer runs in the open window. */
  awaitGit(): Promise<void>;
  /**
   * Waits until all processes of the closed windows have exited.
   * @returns Command lines of the processes that had to be killed.
   */
  awaitWindowEnd(): Promise<string[]>;
  /**
   * Ends the server and its processes and removes its folders.
   * @returns Command lines of the processes that had to be killed.
   */
  stop(): Promise<string[]>;
}

/** A server and a browser. */
export interface Host {
  readonly server: Server;
  readonly browser: Browser;
  /**
   * Closes the window and ends the server.
   * @returns Command lines of processes that had to be killed.
   */
  readonly close: () => Promise<string[]>;
}

/** Where a window can be opened. */
export interface WindowPlace {
  readonly server: Server;
  readonly context: BrowserContext;
  /**
   * Closes the window and removes its data.
   * @returns Command lines of processes that had to be killed.
   */
  readonly close: () => Promise<string[]>;
}

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
