import { readFileSync, readdirSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, relative, sep } from 'node:path';
import type { Face } from './fonts';
import { TestFonts } from './fonts';

const ROOT = process.cwd();
/** Folders whose files a webview may load, as in `localResourceRoots` of the extension. */
const FOLDERS = ['dist/webview', 'media'];
/** The pages, each in one file. */
const JOINED = 'out/test/webview';
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.ttf': 'font/ttf',
  '.woff2': 'font/woff2',
};

/** Serves documents, and the extension's files that they load, on a random port of the loopback interface. */
export class PageServer {
  readonly #server: Server;
  readonly #fonts = new TestFonts();
  /** Path of the URL → content. All files are read at the start: a build meanwhile changes nothing. */
  readonly #files = new Map<string, Buffer>(this.#fonts.files);
  /** Path of the URL → HTML. */
  readonly #documents = new Map<string, string>();

  private constructor() {
    this.#server = createServer((request, response) => this.#answer(request, response));
    for (const folder of [...FOLDERS, JOINED]) this.#readFiles(join(ROOT, folder));
  }

  static async start(): Promise<PageServer> {
    const server = new PageServer();
    await new Promise<void>((done) => server.#server.listen(0, '127.0.0.1', done));
    // Does not keep the process alive.
    server.#server.unref();
    return server;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get fonts(): readonly Face[] {
    return this.#fonts.faces;
  }

  /**
   * Serves a document from now on.
   * @returns URL of the document; the same for equal documents.
   */
  addDocument(html: string): string {
    const known = [...this.#documents].find(([, other]) => other === html);
    const path = known?.[0] ?? `/documents/${this.#documents.size + 1}`;
    this.#documents.set(path, html);
    return `${this.origin}${path}`;
  }

  /**
   * Serves a script from now on.
   * @returns Its URL.
   */
  addScript(name: string, source: Buffer): string {
    const path = `/scripts/${name}.js`;
    this.#files.set(path, source);
    return `${this.origin}${path}`;
  }

  isServed(url: string): boolean {
    const { origin, pathname } = new URL(url);
    return origin === this.origin && (this.#files.has(pathname) || this.#documents.has(pathname));
  }

  #readFiles(folder: string): void {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || entry.name.endsWith('.map')) continue;
      const file = join(entry.parentPath, entry.name);
      this.#files.set(`/${relative(ROOT, file).replaceAll(sep, '/')}`, readFileSync(file));
    }
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname } = new URL(request.url ?? '/', this.origin);
    const html = this.#documents.get(pathname);
    if (html !== undefined) {
      response.writeHead(200, { 'Content-Type': 'text/html', 'Cache-Control': 'no-store' }).end(html);
      return;
    }
    const body = this.#files.get(pathname);
    if (!body) {
      response.writeHead(404).end();
      return;
    }
    const type = TYPES[extname(pathname)] ?? 'application/octet-stream';
    // The port differs in every run, so a file never changes under its URL.
    response.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'max-age=86400, immutable' }).end(body);
  }
}
