import type { Clock } from '../../base/clock';
import { errorMessage } from '../../base/errors';
import type { Event } from '../../base/event';
import { Emitter } from '../../base/event';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import { asOpenError, connectingText } from './connection/mcpClientErrors';
import type { OpenConnection } from './connection/serverConnection';
import type { ServerListing } from './connection/serverListing';
import { listAll } from './connection/serverListing';

/** Milliseconds for connecting and listing together: `npx` downloads a package the first time. */
const PREVIEW_TIMEOUT_MS = 60_000;

type PreviewState =
  | { readonly status: 'none' }
  /** Listing would have to ask the user first. */
  | { readonly status: 'waiting'; readonly why: string }
  | { readonly status: 'listing'; readonly isSilent?: boolean }
  /** `at`: of `Clock.elapsed`. */
  | { readonly status: 'listed'; readonly at: number }
  | { readonly status: 'failed'; readonly why: string };

/**
 * What a server lists, for the Tools panel alone: a connection is opened, listed and closed again. Agents get nothing of it, and no
 * definition is accepted by it.
 */
export class ListingPreview implements Disposable {
  #state: PreviewState = { status: 'none' };
  #running: { readonly abort: AbortController; readonly done: Promise<void> } | undefined;
  /** Settles when all canceled previews have ended. */
  #ending: Promise<unknown> = Promise.resolve();
  /** The last complete listing; stays while the server is listed again. */
  listing: ServerListing | undefined;

  readonly #onDidChange = new Emitter<void>();
  readonly onDidChange: Event<void> = this.#onDidChange.event;

  /** @param open opens a connection that serves only the preview */
  constructor(
    private readonly name: string,
    private readonly open: OpenConnection,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  /** Text for the panel, if any. */
  get text(): string | undefined {
    const state = this.#state;
    if (state.status === 'listing') return connectingText(state.isSilent);
    return state.status === 'failed' || state.status === 'waiting' ? state.why : undefined;
  }

  get isWaiting(): boolean {
    return this.#state.status === 'waiting';
  }

  /** The server was neither listed nor tried for the current definition. */
  get isNew(): boolean {
    return this.#state.status === 'none' || this.#state.status === 'waiting';
  }

  wait(why: string): void {
    this.#set({ status: 'waiting', why });
  }

  /**
   * Never rejects.
   * @param isForced lists again although the last listing is still valid
   */
  async list(isForced: boolean): Promise<void> {
    const isValid = this.#state.status === 'listed' && this.clock.elapsed() - this.#state.at < (this.listing?.ttl ?? 0);
    if (isValid && !isForced) return;
    this.#running ??= this.#start();
    await this.#running.done;
  }

  /** Closes the connection and keeps the last listing. Settles when everything that was started has ended. */
  async cancel(): Promise<void> {
    const running = this.#running;
    if (running) {
      this.#running = undefined;
      running.abort.abort();
      this.#ending = Promise.all([this.#ending, running.done]);
      this.#set({ status: 'none' });
    }
    await this.#ending;
  }

  /** As {@link cancel}, and drops the listing. */
  async reset(): Promise<void> {
    const canceled = this.cancel();
    this.#state = { status: 'none' };
    this.listing = undefined;
    await canceled;
  }

  dispose(): void {
    void this.reset();
    this.#onDidChange.dispose();
  }

  #start(): { readonly abort: AbortController; readonly done: Promise<void> } {
    const abort = new AbortController();
    // Assigned before the first change is reported, so that a listener cannot start a second one.
    const running = { abort, done: Promise.resolve() };
    this.#running = running;
    this.#set({ status: 'listing' });
    running.done = this.#finish(running);
    return running;
  }

  async #finish(running: { readonly abort: AbortController }): Promise<void> {
    const outcome = await this.#run(running.abort);
    if (this.#running !== running) return;
    this.#running = undefined;
    this.#set(outcome);
  }

  /** Never rejects. */
  async #run(abort: AbortController): Promise<PreviewState> {
    const { name, clock, log } = this;
    const { signal } = abort;
    const endings: Promise<void>[] = [];
    let isLate = false;
    const deadline = clock.after(PREVIEW_TIMEOUT_MS, () => {
      isLate = true;
      abort.abort();
    });
    try {
      const listing = await this.#listServer(signal, endings);
      if (!signal.aborted) this.listing = listing;
      return { status: 'listed', at: clock.elapsed() };
    } catch (error) {
      const { message, tail } = asOpenError(error);
      const why = isLate ? t('no response within {0} seconds', PREVIEW_TIMEOUT_MS / 1000) : message;
      if (isLate || !signal.aborted) log.warn('mcp', `Failed to list the MCP server “${name}”: ${why}`);
      return { status: 'failed', why: [t('failed: {0}', why), tail].filter(Boolean).join('\n') };
    } finally {
      deadline.dispose();
      for (const ending of endings)
        await ending.catch((error: unknown) =>
          log.trace('mcp', `Failed to end the preview of ${name}: ${errorMessage(error)}`),
        );
    }
  }

  async #listServer(signal: AbortSignal, endings: Promise<void>[]): Promise<ServerListing> {
    const client = await this.open({
      signal,
      onEnding: (ending) => endings.push(ending),
      onClosed: () => undefined,
      onSilent: () => {
        if (!signal.aborted) this.#set({ status: 'listing', isSilent: true });
      },
      onNotification: () => undefined,
    });
    let closing: Promise<void> | undefined;
    const close = (): void => {
      closing ??= client.close();
    };
    signal.addEventListener('abort', close, { once: true });
    try {
      signal.throwIfAborted();
      return await listAll(client, PREVIEW_TIMEOUT_MS);
    } catch (error) {
      throw asOpenError(error, client.tail());
    } finally {
      signal.removeEventListener('abort', close);
      close();
      if (closing) endings.push(closing);
    }
  }

  #set(state: PreviewState): void {
    this.#state = state;
    this.#onDidChange.fire();
  }
}
