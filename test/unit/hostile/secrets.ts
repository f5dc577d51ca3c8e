/** Made-up secrets in the formats of their services. Built from parts, so that no scanner reports this file as a leak. */

const alphabet = 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7';

/** `length` characters with letters of both cases and digits. */
export function random(length: number, from = alphabet): string {
  return Array.from({ length }, (_, index) => from[(index * 7 + length) % from.length]).join('');
}

const hex = (length: number): string => random(length, '0a1b2c3d4e5f6789');
const pem = (kind: string): string =>
  [
    `-----BEGIN ${kind}-----`,
    ...Array.from({ length: 4 }, (_, line) => `${random(60)}${line}A+b`),
    `-----END ${kind}-----`,
  ].join('\n');

/** A secret with its surrounding text. `hidden` must not appear in the redacted text. */
export interface Leak {
  readonly name: string;
  readonly text: string;
  readonly hidden: string;
}

/** Keys that are recognized by their format, anywhere. */
const KEYS: Readonly<Record<string, string>> = {
  Anthropic: `sk-ant-api03-${random(80)}-${random(8)}AA`,
  OpenAI: `sk-${random(48)}`,
  'OpenAI project': `sk-proj-${random(60)}_${random(20)}`,
  OpenRouter: `sk-or-v1-${hex(64)}`,
  Cerebras: `csk-${random(48)}`,
  Groq: `gsk_${random(52)}`,
  xAI: `xai-${random(80)}`,
  Perplexity: `pplx-${random(48)}`,
  NVIDIA: `nvapi-${random(64)}`,
  'Hugging Face': `hf_${random(34)}`,
  Replicate: `r8_${random(37)}`,
  Tavily: `tvly-dev-${random(32)}`,
  LangSmith: `lsv2_pt_${hex(32)}_${hex(10)}`,
  Pinecone: `pcsk_${random(60)}`,
  GitHub: `ghp_${random(36)}`,
  'GitHub fine-grained': `github_pat_${random(22)}_${random(59)}`,
  'GitHub app': `ghs_${random(36)}`,
  GitLab: `glpat-${random(20)}`,
  'GitLab runner': `glrt-${random(20)}`,
  Slack: ['xoxb', '1234567890', random(24)].join('-'),
  'Slack app': `xapp-1-${random(30)}`,
  'Google API': `AIza${random(35)}`,
  'Google OAuth': `ya29.${random(60)}`,
  'Google client': `GOCSPX-${random(28)}`,
  'AWS key id': `AKIA${random(16, 'ABCDEFGH234567')}`,
  'AWS session key id': `ASIA${random(16, 'ABCDEFGH234567')}`,
  Stripe: ['sk', 'live', random(24)].join('_'),
  'Stripe restricted': ['rk', 'test', random(24)].join('_'),
  'Stripe webhook': `whsec_${random(32)}`,
  npm: `npm_${random(36)}`,
  PyPI: `pypi-AgEIcHlwaS5vcmc${random(60)}`,
  RubyGems: `rubygems_${hex(48)}`,
  Docker: `dckr_pat_${random(27)}`,
  Databricks: `dapi${hex(32)}`,
  DigitalOcean: `dop_v1_${hex(64)}`,
  Doppler: `dp.pt.${random(43)}`,
  Linear: `lin_api_${random(40)}`,
  Notion: `ntn_${random(46)}`,
  Figma: `figd_${random(40)}`,
  Supabase: `sbp_${hex(40)}`,
  SendGrid: `SG.${random(22)}.${random(43)}`,
  Shopify: `shpat_${hex(32)}`,
  Square: `sq0atp-${random(22)}`,
  Atlassian: `ATATT3${random(60)}=${random(8)}`,
  Vault: `hvs.${random(90)}`,
  'Terraform Cloud': `${random(14)}.atlasv1.${random(60)}`,
  'New Relic': `NRAK-${random(27, 'ABCDEFGH2345')}`,
  Sentry: `sntrys_${random(60)}`,
  Grafana: `glsa_${random(32)}_${hex(8)}`,
  age: `AGE-SECRET-KEY-1${random(58, 'QPZRY9X8GF2TVDW0')}`,
  Telegram: `123456789:AA${random(33)}`,
  'JSON Web Token': `eyJ${random(20)}.eyJ${random(40)}.${random(43)}`,
};

const value = random(24);
const password = 'correct-horse-battery';

/** Secrets that are recognized by their context. */
const BESIDE: readonly (readonly [name: string, text: string, hidden: string])[] = [
  ['bearer', `Authorization: Bearer ${value}`, value],
  ['bearer of letters', 'authorization: bearer supersecretword', 'supersecretword'],
  ['basic', `proxy-authorization: Basic ${btoa('user:pass')}`, btoa('user:pass')],
  ['token scheme', `Authorization: token ${value}`, value],
  ['header without scheme', `Authorization: ${value}`, value],
  ['header in JSON', JSON.stringify({ Authorization: `Bearer ${value}` }), value],
  ['header in JSON in JSON', JSON.stringify(JSON.stringify({ authorization: `Bearer ${value}` })), value],
  ['header of curl', `curl -H 'x-api-key: ${value}' https://api.test`, value],
  ['user of curl', `curl -u admin:${password} https://api.test`, password],
  ['cookie', `Cookie: sid=${value}; theme=dark`, value],
  ['set-cookie', `set-cookie: session=${value}; HttpOnly`, value],
  ['address with password', `https://user:${password}@host.test/x`, password],
  ['address of a database', `postgres://app:${password}@db:5432/app?sslmode=require`, password],
  ['address without a user', `redis://:${password}@cache:6379`, password],
  ['address with a key', `https://${value}@dsn.test/42`, value],
  ['query', `https://api.test/v1?alt=json&key=${value}`, value],
  ['signed address', `https://s3.test/x?X-Amz-Signature=${hex(64)}&a=b`, hex(64)],
  ['access token in a query', `wss://x.test/?access_token=${value}`, value],
  ['environment', `OPENAI_API_KEY=${value}`, value],
  ['export', `export MY_SECRET="${password}"`, password],
  ['yaml', `password: ${password}`, password],
  ['toml', `client_secret = "${password}"`, password],
  ['JSON', JSON.stringify({ apiKey: value }), value],
  ['JSON in JSON', JSON.stringify(JSON.stringify({ access_token: value })), value],
  ['AWS secret', `aws_secret_access_key = ${value}/${value}`, value],
  ['Azure connection', `AccountName=a;AccountKey=${value}==;EndpointSuffix=x`, value],
  ['database connection', `Server=db;Password=${password};Encrypt=yes`, password],
  ['npmrc', `//registry.test/:_authToken=${value}`, value],
  ['option', `agent --api-key ${value} --verbose`, value],
  ['option with equals', `agent --client-secret=${value}`, value],
  ['webhook', `https://hooks.slack.com/services/T00000000/B00000000/${value}`, value],
  ['private key', pem('RSA PRIVATE KEY'), random(60)],
  ['private key of OpenSSH in JSON', JSON.stringify({ text: pem('OPENSSH PRIVATE KEY') }), random(60)],
  ['private key cut off', pem('EC PRIVATE KEY').slice(0, 150), random(60)],
];

export const LEAKS: readonly Leak[] = [
  ...Object.entries(KEYS).flatMap(([name, key]) => [
    { name, text: `the key ${key} was refused`, hidden: key },
    { name: `${name} in JSON`, text: JSON.stringify({ text: `key=${key}` }), hidden: key },
    { name: `${name} at the end of an address`, text: `https://x.test/${key}`, hidden: key },
  ]),
  ...BESIDE.map(([name, text, hidden]) => ({ name, text, hidden })),
];

/** Texts that must stay readable in a log, although they resemble a secret. */
export const ORDINARY: readonly string[] = [
  'a token of thanks, 12 tokens, max_tokens: 4096, tokens: 123456',
  'SyntaxError: Unexpected token: identifier at line 3',
  'Basic authentication is not supported; use bearer authentication.',
  'Basic information about the secret life of walruses',
  'const token = getToken(request);',
  'const token = await this.tokens.next();',
  'password=$PASSWORD; token=${TOKEN}; key: <your-api-key>',
  'Authorization: Bearer <token>',
  'OPENAI_API_KEY=process.env.OPENAI_API_KEY',
  'https://example.test/path:8080/@scope/package?key=a&sort=code',
  'git@github.com:owner/repository.git',
  'npm install @scope/package@1.2.3',
  'mailto:someone@example.test',
  'commit 3f8b9324c0ffee1234567890abcdef1234567890 by somebody',
  'sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  'task-force sk-learn risk-based desk-top npm_config_cache',
  '/home/user/projects/some-long-folder-name/with-more/and-more/File1.ts',
  '{"sessionId":"sess_0123456789abcdef","toolCallId":"call_AbC123","id":42}',
  '{"method":"session/update","params":{"update":{"used":12000,"size":200000}}}',
  'look for "-----BEGIN PRIVATE KEY-----" in the files',
  'the secret is: tests',
  'cookie: consent banner',
  'eyJ is how a token begins',
  'data:image/png;base64,iVBORw0KGgo=',
];
