import { spawn } from 'node:child_process';
import type { JsonObject } from '../../../src/base/json';
import { asArray, asObject, asString } from '../../../src/base/json';
import { RpcError, rpcCodes } from '../../../src/base/jsonRpc';
import type { RawClient } from './rawClient';

/** The client side of the demo in these tests: files in memory, real commands, permissions answered immediately. */
export class Editor {
  readonly files = new Map<string, string>();
  /** The option selected for every permission request; undefined: no response. */
  choice: string | undefined = 'allow';
  readonly #terminals = new Map<string, { output: string; exit: Promise<object> }>();

  constructor(client: RawClient) {
    Object.assign(client.answers, {
      'fs/read_text_file': (params: JsonObject) => this.#read(asString(params['path'])!),
      'fs/write_text_file': (params: JsonObject) => {
        this.files.set(asString(params['path'])!, asString(params['content'])!);
        return {};
      },
      'session/request_permission': () =>
        this.choice === undefined ? undefined : { outcome: { outcome: 'selected', optionId: this.choice } },
      'terminal/create': (params: JsonObject) => this.#run(params),
      'terminal/wait_for_exit': (params: JsonObject) => this.#terminals.get(String(params['terminalId']))!.exit,
      'terminal/output': (params: JsonObject) => {
        const { output } = this.#terminals.get(String(params['terminalId']))!;
        return { output, truncated: false };
      },
      'terminal/kill': () => ({}),
      'terminal/release': () => ({}),
    });
  }

  #read(path: string): object {
    const content = this.files.get(path);
    if (content === undefined) throw new RpcError(rpcCodes.resourceNotFound, `No such file: ${path}`);
    return { content };
  }

  #run(params: JsonObject): object {
    const terminalId = `terminal ${this.#terminals.size + 1}`;
    const env = Object.fromEntries(
      asArray(params['env']).map((each) => [asObject(each)!['name'], asObject(each)!['value']]),
    );
    // Without the test's environment, above all PATH: the command has to work with the variables of the agent.
    const child = spawn(asString(params['command'])!, asArray(params['args']).map(String), {
      cwd: asString(params['cwd']),
      env: env as NodeJS.ProcessEnv,
    });
    const exit = new Promise<object>((resolve) => child.on('close', (exitCode) => resolve({ exitCode })));
    const terminal = { output: '', exit };
    child.stdout.on('data', (data: Buffer) => (terminal.output += data.toString()));
    child.stderr.on('data', (data: Buffer) => (terminal.output += data.toString()));
    this.#terminals.set(terminalId, terminal);
    return { terminalId };
  }

  /** The output of a terminal's command. */
  output(terminalId: unknown): string {
    return this.#terminals.get(String(terminalId))!.output;
  }
}
