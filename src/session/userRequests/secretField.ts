import { asObject, asString } from '../../base/json';
import { normalizeText } from '../../base/text';
import { resolveSchema } from './formSchema';
import type { SchemaDocument } from './formSchema';

/** What names a secret also within compounds and across words: `dbPassword`, `APIKEY`, "seed phrase". */
const COMPOUNDS = [
  String.raw`passw(?:or)?[dt]|passphrase|passcode|passkey|kennwort|contraseña|motdepasse|пароль|密码|口令|验证码|パスワード`,
  String.raw`secret(?!ar|i)|credential|mnemonic|cardnumber|securityanswer|[a-z]token$|(?:access|backup|recovery)tokens`,
  String.raw`(?:access|account|api|encryption|license|master|private|recovery|security|signing|ssh)keys?(?!id|name|type|path|file)`,
  String.raw`(?:access|activation|auth|backup|login|otp|pin|recovery|security|sms|verification)codes?`,
  String.raw`(?:backup|recovery|seed)(?:phrase|words?)|(?:master|wallet)seed`,
];
const COMPOUND = new RegExp(COMPOUNDS.join('|'), 'u');

/** What names a secret only as a whole word: "pin" is also in "shipping". */
const WORDS = wordSet(
  '2fa auth authorization bearer code codes cookie csc cvc cvn cvv hotp jwt mfa otp pass pat phrase pin puk pwd pw ssn tan tfa token totp',
);

/** Before such a word: a postal code, an error code and a search phrase are no secrets. */
const PLAIN_BEFORE = wordSet(
  'airport area bar branch calling city color colour cost country currency department dial dialing discount error exit hs http item key lang language locale post postal product project promo qr reason region response search source state status tax zip',
);

/** After such a word: a token type and the style of code are no secrets. */
const PLAIN_AFTER = wordSet(
  'address block budget count example file format id language length level limit method mode name owner path policy provider quality review sample scheme server snippet style symbol type url user username',
);

/**
 * Whether a property asks for a secret: by `format: password`, by `writeOnly`, or by its name, title or description. Also where only a part of it does.
 * @param name the property's key
 */
export function asksForSecret(name: string, property: unknown, document: SchemaDocument, depth = 0): boolean {
  if (isSecretName(name)) return true;
  const schema = resolveSchema(property, document, depth);
  if (!schema) return false;
  const texts = [asString(schema['title']), asString(schema['format'])];
  if (schema['writeOnly'] === true || texts.some((text) => text !== undefined && isSecretName(text))) return true;
  if (describesSecret(asString(schema['description']) ?? '')) return true;
  // `items` may also be a list of schemas.
  const parts = ['anyOf', 'oneOf', 'prefixItems', 'items'].flatMap((keyword) => schema[keyword]);
  return (
    parts.some((part) => asksForSecret('', part, document, depth + 1)) ||
    Object.entries(asObject(schema['properties']) ?? {}).some((part) => asksForSecret(...part, document, depth + 1))
  );
}

/** In a description, where it begins to explain what it asks for. */
const EXPLANATION =
  /[.,;:!?()[\]{}"“„\n]|(?<![\w-]|\b(?:log|sign) )(?:as|by|for|from|if|in|is|of|on|or|so|that|to|used|when|where|which|with|without)(?![\w-])/i;
/** As {@link WORDS}, without those that often have another meaning in a description. */
const DESCRIBED = wordSet('2fa bearer cvc cvv hotp jwt mfa otp pin puk pwd ssn tan token totp');

/** Whether the first words of a description ask for a secret: "Password of the user", "Please enter your API key." */
function describesSecret(description: string): boolean {
  const [asked = ''] = description.slice(0, MAX_NAME).trimStart().split(EXPLANATION, 1);
  return !/\b(?:no|not|whether)\b/i.test(asked) && isSecretName(asked, DESCRIBED);
}

/** UTF-16 units of a name or title; a longer one is no name, and the words of thousands would take seconds. */
const MAX_NAME = 200;

/** Whether a name says so, such as `userPin`, `recovery_code` or "One-time password". */
export function isSecretName(name: string, named = WORDS): boolean {
  const words = normalizeText(name.slice(0, MAX_NAME), 'NFKC')
    .slice(0, MAX_NAME)
    .replaceAll(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  if (COMPOUND.test(words.join(''))) return true;
  return words.some((word, at) => {
    const isNamed = named.has(word.replace(/(?<!\d)\d+$/, ''));
    return isNamed && !PLAIN_BEFORE.has(words[at - 1] ?? '') && !PLAIN_AFTER.has(words[at + 1] ?? '');
  });
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}
