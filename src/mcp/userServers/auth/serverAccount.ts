import { ParleyError, isCancellation, errorMessage } from '../../../base/errors';
import { t } from '../../../base/l10n';
import type { Disposable } from '../../../base/lifecycle';
import type { Logger } from '../../../base/logger';
import type { ServerAccount } from '../../contract/toolServerTypes';
import type { ServerSecrets } from '../config/serverInputs';
import type { AccountChange, AccountServer, Fetch, OAuthGrant, SignInUi } from './oauthGrant';
import { readGrant, signInRequiredText } from './oauthGrant';

/** Maximum token refreshes for one request: a grant that another window has just stored may have expired, too. */
const MAX_RENEWALS = 2;
/** Name of the secret. */
const SIGN_IN = 'sign-in';

/** The user's account at one HTTP server. Adds its token to every request and refreshes it; only the Tools panel starts a sign-in. */
export class Account implements ServerAccount {
  #grant: OAuthGrant | undefined;
  #isSignInRequired = false;
  #isSignedOut = false;
  #isDisposed = false;
  /** Pending writes to the secret storage. */
  #pendingWrites = 0;
  /** Whether the secret storage changed during a pending write. */
  #isReadDue = false;
  /** The header with which the server required a sign-in. */
  #challenge: Response | undefined;
  #renewing: Promise<boolean> | undefined;
  #signing: AbortController | undefined;
  readonly #following: Disposable;

  /** @param reconnect called after sign-in or sign-out in any window */
  constructor(
    private readonly server: AccountServer,
    private readonly secrets: ServerSecrets,
    private readonly signInUi: SignInUi,
    private readonly log: Logger,
    private readonly reconnect: (change: AccountChange) => Promise<void>,
  ) {
    this.#following = secrets.onDidChange(() => void this.#readChange());
  }

  /** Undefined for a server that never required a sign-in. */
  get state(): ServerAccount['status'] | undefined {
    if (this.#isSignInRequired) return 'required';
    return this.#grant && 'done';
  }

  get status(): ServerAccount['status'] {
    return this.state ?? 'required';
  }

  /** The user signed out, in any window: Parley does not ask for a new sign-in. */
  get isSignedOut(): boolean {
    return this.#isSignedOut;
  }

  /** Loads a stored grant. Never rejects. */
  async load(): Promise<void> {
    try {
      this.#setGrant(await this.#readStored());
    } catch (error) {
      this.#warnUnread(error);
    }
  }

  /** Adds the token to requests. A request refused with 401 had no effect, and is repeated with a newer token. */
  withAuthorization(plain: Fetch): Fetch {
    return async (url, init) => {
      for (let renewals = 0; ; renewals += 1) {
        const token = this.#grant?.access;
        const response = await plain(url, this.#withToken(url, init, token));
        if (response.status !== 401 || !this.#isServerUrl(url)) {
          if (response.ok) this.#isSignInRequired = false;
          return response;
        }
        await response.body?.cancel();
        if (renewals < MAX_RENEWALS && (await this.#renew(token))) continue;
        this.#challenge = new Response(null, { status: 401, headers: response.headers });
        this.#isSignInRequired = true;
        throw signInRequiredText();
      }
    };
  }

  /** A second sign-in replaces the first. */
  async signIn(): Promise<void> {
    const { name } = this.server;
    this.#signing?.abort();
    const signing = new AbortController();
    this.#signing = signing;
    try {
      const { runSignIn } = await import('./oauthSignIn');
      await this.#writeStored(await runSignIn(this.server, this.signInUi, this.#challenge, signing.signal));
      this.log.info('mcp', `Signed in at the MCP server “${name}”`);
    } catch (error) {
      if (isCancellation(error)) return;
      const message = t('Could not sign in to the MCP server “{0}”: {1}', name, errorMessage(error));
      throw new ParleyError('signInRequired', message, { cause: error });
    } finally {
      if (this.#signing === signing) this.#signing = undefined;
    }
    await this.reconnect('here');
  }

  /** Deletes the grant and revokes it at the authorization server, if supported. */
  async signOut(): Promise<void> {
    const grant = (await this.#readStored()) ?? this.#grant;
    await this.#writeStored(undefined);
    if (grant) {
      const { revoke } = await import('./oauthSignIn');
      await revoke(grant).catch((error: unknown) => {
        const { name } = this.server;
        this.log.warn(
          'mcp',
          `Deleted the sign-in at “${name}”, but the server did not revoke it: ${errorMessage(error)}`,
        );
      });
    }
    await this.reconnect('here');
  }

  /** Cancels a sign-in that waits for the browser. */
  dispose(): void {
    this.#isDisposed = true;
    this.#signing?.abort();
    this.#following.dispose();
  }

  /** Takes over a change by another window. Never rejects. */
  async #readChange(): Promise<void> {
    if (!this.#canRead()) return;
    try {
      const [before, stored] = [this.#grant, await this.#readStored()];
      if (!this.#canRead() || this.#grant !== before || stored?.access === before?.access) return;
      this.#setGrant(stored);
      if (!isRenewal(before, stored)) await this.reconnect(stored ? 'signedInInOtherWindow' : 'signedOutInOtherWindow');
    } catch (error) {
      this.#warnUnread(error);
    }
  }

  #warnUnread(error: unknown): void {
    this.log.warn('mcp', `Failed to read the sign-in at “${this.server.name}”: ${errorMessage(error)}`);
  }

  /** During a write the storage still has the old value and fires for other secrets too, so changes are read afterwards. */
  #canRead(): boolean {
    this.#isReadDue = this.#pendingWrites > 0;
    return !this.#isReadDue && !this.#isDisposed;
  }

  async #readStored(): Promise<OAuthGrant | undefined> {
    const { owner, url } = this.server;
    const stored = await this.secrets.read(owner, SIGN_IN);
    return stored === undefined ? undefined : readGrant(stored, url);
  }

  #setGrant(grant: OAuthGrant | undefined): void {
    // Stays true until another grant exists.
    this.#isSignedOut = !grant && (this.#isSignedOut || this.#grant !== undefined);
    this.#isSignInRequired = this.#isSignedOut;
    this.#grant = grant;
    if (grant) this.secrets.hide({ access_token: grant.access, refresh_token: grant.refresh ?? '' });
  }

  async #writeStored(grant: OAuthGrant | undefined): Promise<void> {
    this.#setGrant(grant);
    this.#pendingWrites += 1;
    try {
      await this.secrets.write(this.server.owner, SIGN_IN, grant && JSON.stringify(grant));
    } finally {
      this.#pendingWrites -= 1;
      if (this.#isReadDue && this.#pendingWrites === 0) void this.#readChange();
    }
  }

  #isServerUrl(url: string | URL): boolean {
    return new URL(url).origin === new URL(this.server.url).origin;
  }

  #withToken(url: string | URL, init: RequestInit | undefined, token: string | undefined): RequestInit {
    const headers = new Headers(init?.headers);
    if (token !== undefined && this.#isServerUrl(url)) headers.set('authorization', `Bearer ${token}`);
    return { ...init, headers };
  }

  /** One refresh for all requests refused with the same token. False where the user must sign in. */
  #renew(token: string | undefined): Promise<boolean> {
    if (this.#grant && this.#grant.access !== token) return Promise.resolve(true);
    this.#renewing ??= this.#renewNow(token).finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  async #renewNow(token: string | undefined): Promise<boolean> {
    const { name, owner } = this.server;
    try {
      // Windows share the grant. Many servers accept a refresh token once and revoke the grant on reuse.
      return await this.signInUi.inTurn(owner, () => this.#renewInTurn(token));
    } catch (error) {
      this.log.warn('mcp', `Failed to refresh the sign-in at “${name}”: ${errorMessage(error)}`);
      return false;
    }
  }

  async #renewInTurn(token: string | undefined): Promise<boolean> {
    const stored = await this.#readStored();
    if (stored?.access !== token) {
      // Another window has refreshed the grant, signed in, or signed out.
      this.#setGrant(stored);
      return stored !== undefined;
    }
    if (stored?.refresh === undefined) return false;
    const { refreshGrant } = await import('./oauthSignIn');
    const next = await refreshGrant(stored);
    const newest = await this.#readStored();
    if (newest?.access === token) await this.#writeStored(next);
    else this.#setGrant(newest);
    return this.#grant !== undefined;
  }
}

/** Whether two grants have the same client registration: then only the tokens were refreshed. */
function isRenewal(before: OAuthGrant | undefined, after: OAuthGrant | undefined): boolean {
  return before !== undefined && JSON.stringify(before.client) === JSON.stringify(after?.client);
}
