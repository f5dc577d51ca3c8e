/** How a VS Code server is started. */
export interface ServerOptions {
  /** A folder of installed extensions (`installVsix`); none installed when left out. */
  readonly extensions?: string;
  /** A folder with the only extensions of VS Code itself that are wanted (`linkBuiltIns`); all when left out. */
  readonly builtIns?: string;
  /** User settings; they count as machine settings too. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Machine settings only. */
  readonly machineSettings?: Readonly<Record<string, unknown>>;
  /** True: the window asks whether its workspace is trusted. False (default): all are trusted. */
  readonly workspaceTrust?: boolean;
  /** True: the page may name an extension under development and its tests (`payload` of `open`). */
  readonly smokeDriver?: boolean;
  /** Variables added to the clean environment of the server. */
  readonly env?: Readonly<Record<string, string>>;
  /** Absolute path of a CommonJS module that the server and its extension host load before anything else. */
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
  /** The address of a file as the workbench knows it. */
  remote(path: string): string;
  /** The web address that opens a folder, or the folders of a `.code-workspace` file. */
  open(workspace: string, payload?: readonly (readonly [string, string])[]): string;
  /** All that it wrote to stdout and stderr. */
  output(): string;
  /** Whether another window may be opened: it runs, and keeps no shells of an earlier one. */
  isReusable(): boolean;
  /** Empties home and user data and writes these settings, for a window that finds everything as the first one did. */
  reset(options: Pick<ServerOptions, 'settings' | 'machineSettings'>): Promise<void>;
  /** Waits until all that its windows started has ended, once they are closed; tells what had to be killed. */
  awaitWindowEnd(): Promise<string[]>;
  /** Ends it and all it started, removes its folders, tells which processes did not end by themselves. */
  stop(): Promise<string[]>;
}

export function serverNode(): string;
export function installVsix(vsix: string, extensions: string): Promise<void>;
export function startServer(options?: ServerOptions): Promise<Server>;
