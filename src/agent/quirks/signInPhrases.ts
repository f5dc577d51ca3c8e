/**
 * What agents say when the user must sign in, where they do not answer -32000. Each must be a sentence about the account: a tool that
 * lacks a permission is no reason to sign in.
 */
const SIGN_IN_PHRASES: readonly RegExp[] = [
  // Claude Code: “Please run /login”, “Invalid API key · Fix external API key”, “OAuth token has expired”.
  /\b(?:run|use|with|via) [`'"]?\/(?:login|auth|signin)\b/i,
  /\b(?:invalid|incorrect|missing|expired|revoked|no) (?:\w+ )?(?:api|access|auth|authentication|refresh|oauth|bearer)[ _-](?:key|token)s?\b/i,
  /\b(?:api|access|auth|authentication|refresh|oauth|bearer|login)[ _-](?:key|token|session)s? (?:\S+ ){0,3}(?:expired|revoked|invalid|missing|required|rejected|not (?:valid|found|set|provided|configured))/i,
  /\bcould not resolve authentication method\b/i,
  /\b(?:token|jwt) (?:\S+ ){0,5}expired\b/i,
  /\b(?:invalid|bad|missing|no|expired) (?:\w+ )?credentials\b|\b(?:load|locate|find) (?:\w+ ){0,2}credentials\b/i,
  /\bmissing (?:bearer|authorization|authentication)\b|\bauthentication error\b/i,
  /\b(?:set|provide|enter|export|configure|add|pass|passing) (?:\w+ ){0,3}(?:\w+_)?api[_ -]?key\b/i,
  // Codex: “Your access token could not be refreshed because …. Please sign in again.”, “run codex login”.
  /\b(?:access|refresh|auth|oauth) token could not be refreshed\b/i,
  /\bfailed to refresh (?:\w+ )?(?:token|credential)s?\b/i,
  /\b(?:sign|log)[ -]?in (?:again|first|required|to continue|to use|with|before|using)\b/i,
  /\b(?:need|needs|must|have|required?|please) (?:to )?(?:re-?)?(?:sign|log)[ -]?(?:in|into)\b/i,
  /\bplease (?:re-?)?(?:authenticate|login)\b/i,
  /\b(?:must|need to|have to|failed to|unable to|could not) (?:re-?)?authenticate\b|\bauthenticate first\b/i,
  /\bconnect (?:your|an?) (?:\w+ )?account\b/i,
  // Qwen, Kimi and others in Chinese: “please sign in first”, “not signed in”, “the sign-in has expired”.
  /请(?:先|重新)?登录|未登录|登录已?(?:过期|失效)/,
  /\b(?:not|no longer|never) (?:yet )?(?:signed|logged)[ -]in\b/i,
  /\b(?:signed|logged) out\b/i,
  /\b(?:sign-?in|login|log-in|auth|(?:re-?)?authentication|authorization) ?(?:is )?(?:required|needed|expired|failed|has expired)\b/i,
  /\bnot authenticated\b|\bunauthenticated\b/i,
  /\b(?:credentials?|login) (?:\S+ ){0,2}(?:expired|invalid|missing|not found|revoked)\b/i,
  /\b(?:HTTP|error code|error)[: ]+401\b/i,
  // Services: HTTP 401 and the kinds of errors of model providers.
  /(?:^|: )unauthori[sz]ed\.?$/i,
  /\b401\b.{0,40}\bunauthori[sz]ed\b|\bunauthori[sz]ed\b.{0,40}\b401\b|\bstatus(?: code)?:? 401\b/i,
  // Codes without words: “statusCode: 401”, “code: not_logged_in”.
  /^\w*(?:code|status): 401$/i,
  /(?:\b|_)(?:auth(?:entication)?|login|sign_?in|api_key|token)_(?:required|failed|expired|missing|invalid)\b/i,
  /\b(?:missing|invalid|expired|no)_(?:api_key|auth|credentials|token)\b|\bnot_(?:authenticated|logged_in|signed_in)\b/i,
  /\bAuthenticationError\b/,
  /\bauthentication_error\b|\binvalid_api_key\b|\binvalid_grant\b|\btoken_expired\b/i,
  // Gemini and Qwen: “GEMINI_API_KEY environment variable not found”, “Please set an Auth method”.
  /\b\w+_(?:API_KEY|TOKEN)\b.{0,40}\b(?:not (?:found|set|defined)|missing|required)\b/,
  /\b(?:set|select|choose|no) (?:an? )?auth(?:entication)? (?:method|type)\b/i,
  // Copilot, Cursor, OpenCode, Auggie and others: “run copilot login”, “gh auth login”.
  /\b(?:run|use|try|with|execute)[: ]+[`'"]?[\w-]+ (?:auth|(?:auth )?login)\b/i,
];

/** Whether the text of an agent’s error is about signing in. */
export function isSignInText(text: string): boolean {
  return SIGN_IN_PHRASES.some((phrase) => phrase.test(text));
}
