import assert from 'node:assert/strict';
import { isSignInText } from '../../../../src/agent/quirks/signInPhrases';

describe('errors about signing in', () => {
  for (const text of [
    'Your access token could not be refreshed because the refresh token was revoked. Please sign in again.',
    'Invalid API key · Please run /login',
    'OAuth token has expired. Please obtain a new token or refresh your existing token.',
    'API Error: 401: Unauthorized',
    'Failed to authenticate. API Error: 401 authentication_error: Invalid bearer token',
    'GEMINI_API_KEY environment variable not found.',
    'Not logged in. Run `codex login` first.',
    'You are not authenticated. Use copilot login.',
    'Please set an Auth method in your settings.json',
    'Your session has been logged out',
    'Login required',
    'Authentication failed',
    'Could not resolve authentication method. Expected either apiKey or authToken to be set.',
    'You must log in to use this model',
    'invalid_grant',
    'Internal error: Unauthorized',
    'code: 401',
    'statusCode: 401',
    'code: not_logged_in',
    'error: AUTH_REQUIRED',
    'type: missing_api_key',
    'name: AuthenticationError',
  ])
    it(`are recognized: ${text}`, () => assert.ok(isSignInText(text)));

  for (const text of [
    'Internal error',
    'The file src/login/token.ts was not found',
    'Rate limit reached: 401 requests in 5 minutes',
    'Maximum number of tokens exceeded',
    'Permission denied: /etc/shadow',
    'Session not found: login',
    'Unexpected token < in JSON at position 0',
    'The model is overloaded',
    'Invalid token in expression',
    'retryAfter: 401',
    'type: invalid_token_count',
    'code: -32603',
  ])
    it(`are not: ${text}`, () => assert.ok(!isSignInText(text)));
});
