/** Patterns of secrets in text. */

/** A pattern, and a check for matches that may also be ordinary text. */
interface SecretPattern {
  /**
   * If the pattern has two groups, the first is kept and the second is the secret. Without groups, the whole match is the secret. Each
   * pattern starts at a word start, and no two adjacent parts match the same characters, so matching takes linear time even for hostile
   * text.
   */
  readonly pattern: RegExp;
  readonly isSecret?: (value: string, before: string) => boolean;
}

/** Start of a token of word characters and hyphens; `\b` would also match after each hyphen. */
const START = String.raw`(?<![\w-])`;

/** Prefixes that services give their keys, each with a minimum length, so that prose does not match. */
const MARKED = [
  // Anthropic, OpenAI, OpenRouter, DeepSeek and others; Cerebras
  String.raw`c?sk-[\w-]{16,}`,
  String.raw`(?:pk|rk)-[\w-]{16,}`,
  // Stripe
  String.raw`(?:sk|rk)_(?:live|test)_\w{10,}`,
  String.raw`whsec_[\w+/=]{16,}`,
  // GitHub, GitLab
  String.raw`gh[opsur]_\w{20,}`,
  String.raw`github_pat_\w{20,}`,
  String.raw`gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|oas|imt)-[\w-]{16,}`,
  // Slack
  String.raw`xox[abceoprs](?:\.xox[abp])?-[\w-]{10,}`,
  String.raw`xapp-\d-[\w-]{10,}`,
  // Google
  String.raw`AIza[\w-]{30,}`,
  String.raw`ya29\.[\w-]{20,}`,
  String.raw`GOCSPX-[\w-]{20,}`,
  // AWS
  String.raw`(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])`,
  // Registries
  String.raw`npm_[A-Za-z0-9]{30,}`,
  String.raw`pypi-[\w-]{30,}`,
  String.raw`rubygems_[0-9a-f]{40,}`,
  String.raw`dckr_(?:pat|oat)_[\w-]{20,}`,
  // Models
  String.raw`hf_[A-Za-z0-9]{30,}`,
  String.raw`r8_\w{30,}`,
  String.raw`gsk_\w{30,}`,
  String.raw`xai-[\w-]{30,}`,
  String.raw`pplx-\w{30,}`,
  String.raw`nvapi-[\w-]{30,}`,
  String.raw`fw_[A-Za-z0-9]{20,}`,
  String.raw`tvly-[\w-]{16,}`,
  String.raw`lsv2_[\w]{20,}`,
  String.raw`pcsk_\w{30,}`,
  // Clouds and tools
  String.raw`dapi[0-9a-f]{32}(?:-\d)?(?![\w-])`,
  String.raw`do[oprt]_v1_[0-9a-f]{40,}`,
  String.raw`dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{30,}`,
  String.raw`lin_(?:api|oauth)_\w{20,}`,
  String.raw`ntn_\w{30,}`,
  String.raw`fig[duor]{1,2}_[\w-]{30,}`,
  String.raw`sbp_[0-9a-f]{30,}`,
  String.raw`sb_secret_[\w-]{16,}`,
  String.raw`nfp_\w{30,}`,
  String.raw`SG\.[\w-]{16,}\.[\w-]{16,}`,
  String.raw`shp(?:at|ca|pa|ss)_[0-9a-fA-F]{30,}`,
  String.raw`sq0(?:atp|csp)-[\w-]{20,}`,
  String.raw`ATATT3[\w=-]{30,}`,
  String.raw`hv[sbr]\.[\w-]{20,}`,
  String.raw`[A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,}`,
  String.raw`pscale_(?:tkn|oauth|pw)_[\w.-]{20,}`,
  String.raw`NRAK-[A-Z0-9]{20,}`,
  String.raw`sntry[su]_[\w+/=-]{30,}`,
  String.raw`PMAK-[\w-]{30,}`,
  String.raw`gl(?:sa|c)_[\w+/=]{30,}`,
  String.raw`AGE-SECRET-KEY-1[A-Z0-9]{40,}`,
  String.raw`\d{8,10}:AA[\w-]{33}(?![\w-])`,
  String.raw`sl\.[\w-]{60,}`,
];

const AUTHORIZATION = String.raw`authorization\\*["']?\s{0,9}[:=]\s{0,9}\\*["']?`;

/** Names whose value is a secret. */
const NAMES = [
  String.raw`(?:api|access|secret|private|account|shared[_-]?access|signing|encryption)[_-]?key`,
  'token',
  'secret',
  'password',
  'passwd',
  'passphrase',
  String.raw`(?<![a-z])pwd`,
].join('|');

/** An option of a command whose argument is a secret. */
const FLAGS = String.raw`--?(?:[a-z]{1,20}-){0,3}(?:api-?key|token|secret|password|passwd|passphrase|secret-key|access-key|client-secret)`;

export const secretPatterns: readonly SecretPattern[] = [
  // Private keys as PEM, also with line ends escaped as in JSON; a truncated key matches up to its end.
  {
    pattern: /(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)([^-]*(?:-(?!----(?:END|BEGIN))[^-]*)*)/g,
    isSecret: (body) => /[A-Za-z0-9+/]{30,}/.test(body),
  },
  // A single line of a PEM key: stderr is logged line by line.
  {
    pattern: /(?<![\w+/=.-])[A-Za-z0-9+/]{64}(?![\w+/=.-])/g,
    isSecret: (line) => /[a-z]/.test(line) && /[A-Z]/.test(line) && /\d/.test(line),
  },
  { pattern: new RegExp(`${START}(?:${MARKED.join('|')})`, 'g') },
  // JSON Web Tokens
  { pattern: /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g },
  // The value of the Authorization header, after its scheme if it has one.
  {
    pattern: new RegExp(`(${AUTHORIZATION}(?:[a-z][a-z0-9-]{1,20}[ ]{1,3})?)([^\\s"'\\\\,;<>[\\]]{4,})`, 'gi'),
    isSecret: (value) => !SCHEME.test(value),
  },
  {
    pattern: /((?<![\w-])(?:bearer|basic)[ \t]{1,3})([\w.~+/=-]{8,})/gi,
    isSecret: (value) => !isProse(value),
  },
  {
    pattern: /((?<![\w-])(?:set-)?cookie\\*["']?[ \t]{0,9}:[ \t]{0,9}\\*["']?)([\w.-]{1,200}=[^\r\n"'\\]*)/gi,
  },
  // User names and passwords in a URL: `scheme://name:password@` and `scheme://key@`.
  {
    pattern: /((?<![\w+.-])[a-z][\w+.-]{0,30}:\/\/[^\s/:@"'<>]{0,200}:)([^\s/@"'<>]{1,1000})(?=@)/gi,
    isSecret: (value) => !isPlaceholder(value),
  },
  {
    pattern: /((?<![\w+.-])[a-z][\w+.-]{0,30}:\/\/)([\w~.-]{16,400})(?=@)/gi,
    isSecret: (value) => /\d/.test(value) && /[a-z]/i.test(value),
  },
  {
    pattern:
      /([?&](?:key|sig|signature|auth|code|x-amz-(?:signature|security-token|credential)|x-goog-(?:signature|credential))=)([^\s&"'#<>\\]{6,})/gi,
    isSecret: (value) => !isPlaceholder(value),
  },
  { pattern: /(hooks\.slack\.com\/(?:services|workflows)\/)([\w/]{10,})/g },
  { pattern: /(discord(?:app)?\.com\/api\/webhooks\/\d{5,25}\/)([\w-]{20,})/g },
  {
    pattern: new RegExp(`(${START}${FLAGS}[ \\t]{1,9}["']?)([^\\s"'\\\\]{4,})`, 'gi'),
    isSecret: (value) => !isPlaceholder(value) && !value.startsWith('-'),
  },
  {
    pattern: /((?<![\w-])(?:-u|--user)[ \t]{1,9}["']?[^\s:"']{1,100}:)([^\s"']{3,})/g,
    isSecret: (value) => !isPlaceholder(value),
  },
  // "api_key": "…", API-KEY=…, token: …; also escaped, as in JSON inside JSON.
  {
    pattern: new RegExp(`((?:${NAMES})\\\\*["']?\\s{0,9}(?:[:=]|%3D)\\s{0,9}\\\\*["']?)([^\\s"'\\\\,;&]{6,})`, 'gi'),
    isSecret: isNamedValue,
  },
];

const SCHEME = /^(?:bearer|basic|token|digest|negotiate|apikey|aws4-hmac-sha256)$/i;

/** Whether the argument after an option is a secret, in a command line given as a list of arguments. */
export function isSecretArgument(option: string, word: string): boolean {
  return FLAG.test(option) && word.length >= 4 && !word.startsWith('-') && !isPlaceholder(word);
}

const FLAG = new RegExp(`^${FLAGS}$`, 'i');

/** Whether the value after such a name is a secret: not if it is code, a placeholder, or prose such as "unexpected token: identifier". */
function isNamedValue(value: string, before: string): boolean {
  if (isPlaceholder(value) || SCHEME.test(value) || /^[\w.]{0,200}[([]/.test(value)) return false;
  if (/["']$/.test(before) || !/^token/i.test(before)) return true;
  const isCompact = /^token(?:=|%3D)/i.test(before);
  return isCompact ? !/^[\w$]{1,60}\.[\w$.]+$/.test(value) || /\d/.test(value) : /\d/.test(value) || value.length >= 20;
}

/** Whether the value is a placeholder for a secret: `${TOKEN}`, `<token>`, `process.env.X`, or already redacted text. */
function isPlaceholder(value: string): boolean {
  return /^(?:\$|<|\{|%[\w]|\[redacted|process\.env|os\.environ|import\.meta|env\.|x{4,}|\*{3,}|\.{3}|…)/i.test(value);
}

/** A word or words with hyphens, as in "basic authentication". */
function isProse(value: string): boolean {
  return /^[A-Za-z]?[a-z]{0,30}(?:[-/.][a-z]{0,30}){0,4}$/.test(value);
}
