import assert from 'node:assert/strict';
import type { JsonObject } from '../../../../src/base/json';
import { parseElicitationForm } from '../../../../src/session/userRequests/elicitationForm';
import { isSecretName } from '../../../../src/session/userRequests/secretField';

function isMasked(key: string, property: JsonObject, more: JsonObject = {}): boolean {
  const question = parseElicitationForm({
    requestedSchema: { type: 'object', properties: { [key]: property }, ...more },
  });
  const field = question.mode === 'form' ? question.fields[0] : undefined;
  return field !== undefined && 'isSecret' in field && (field.isSecret ?? false);
}

describe('fields for secrets', () => {
  it('are those with such a name', () => {
    const names =
      'pin PIN userPin pin_code Pin2 otp OTPCode one-time-code code codes smsCode recovery_code backupCodes token apiToken ' +
      'access_token authtoken bearer mnemonic seedPhrase cvv CVC2 cardCvv passphrase passcode password dbPassword PASSWD pwd ' +
      'pass secret clientSecret apikey API_KEY privateKey ssh-key credentials jwt totp 2fa mfa puk tan ssn securityAnswer ' +
      'Passwort Kennwort 密码';
    for (const name of names.split(' ')) assert.ok(isSecretName(name), name);
    for (const name of ['One-time password', 'Your PIN', 'Recovery phrase (12 words)', 'Code from your app', 'API key'])
      assert.ok(isSecretName(name), name);
  });

  it('are no others', () => {
    const names =
      'name mail shipping pinned opinion spinner hotplug postal_code zipCode countryCode errorCode languageCode sourceCode ' +
      'codeStyle token_type maxTokens tokenCount tokenizer secretary compass passenger bypass author keyboard monkey key keys ' +
      'primaryKey accessKeyId sshKeyPath seed encode unicode vscode authMethod adopt tangent pattern path cookiecutter';
    for (const name of names.split(' ')) assert.ok(!isSecretName(name), name);
    assert.ok(!isSecretName('') && !isSecretName('Which product code?'));
  });

  it('are told in a short time, however long their names become', () => {
    assert.ok(isSecretName('password'.padEnd(100_000, 'ﷺ')) && !isSecretName('ﷺ'.repeat(100_000)));
    // Each has eighteen letters: the last words of a name are not read.
    assert.ok(!isSecretName(`${'ﷺ'.repeat(100)} password`));
  });

  it('are named by key, title, description or format, or write-only, in all forms of a schema', () => {
    const text = { type: 'string' };
    const secrets: [string, JsonObject, JsonObject?][] = [
      ['pin', text],
      ['pin', { type: 'integer' }],
      ['a', { ...text, title: 'Your PIN' }],
      ['a', { ...text, format: 'password' }],
      ['a', { ...text, writeOnly: true }],
      ['a', { ...text, writeOnly: true, format: 'date' }],
      ['a', { anyOf: [{ ...text, format: 'password' }, { type: 'null' }] }],
      ['a', { anyOf: [{ ...text, writeOnly: true }, { type: 'integer' }] }],
      ['a', { $ref: '#/$defs/Secret' }, { $defs: { Secret: { ...text, writeOnly: true } } }],
      ['a', { allOf: [{ $ref: '#/$defs/Secret' }] }, { $defs: { Secret: { ...text, format: 'password' } } }],
      ['a', { type: 'object', properties: { user: text, password: text } }],
      ['a', { type: 'array', items: { type: 'object', properties: { b: { ...text, writeOnly: true } } } }],
      ['token', {}],
      ['a', { ...text, description: 'Enter your GitHub password.' }],
      ['a', { ...text, description: 'Password of the database user' }],
      ['a', { ...text, description: '  The API key (sk-…), as the page shows it' }],
      ['a', { ...text, description: 'Please paste the verification code' }],
      ['a', { ...text, description: 'Ihr Passwort' }],
      ['a', { ...text, description: 'Sign-in password' }],
      ['a', { ...text, description: 'Log in password for GitHub' }],
      ['a', { anyOf: [{ ...text, description: 'Your PIN' }, { type: 'null' }] }],
    ];
    for (const [key, property, more] of secrets)
      assert.ok(isMasked(key, property, more), JSON.stringify([key, property]));
    const plain: [string, JsonObject][] = [
      ['a', text],
      ['a', { ...text, writeOnly: false, format: 'email', description: 'Not your password' }],
      ['code', { enum: ['a', 'b'] }],
      ['token', { type: 'boolean' }],
      ['a', { type: 'object', properties: { user: text } }],
      ['a', { ...text, description: 'Name of the secret' }],
      ['a', { ...text, description: 'Whether a password is needed' }],
      ['a', { ...text, description: 'Python code to run' }],
      ['a', { ...text, description: 'User, not the password' }],
      ['a', { ...text, description: 'Number of tokens' }],
      ['a', { ...text, description: 'Where the token is stored' }],
    ];
    for (const [key, property] of plain) assert.ok(!isMasked(key, property), JSON.stringify([key, property]));
  });

  it('are looked for in the beginning of a long name, also where it becomes longer when it is compared', () => {
    assert.ok(isSecretName('password'.padEnd(5_000)));
    for (let count = 0; count < 5_000; count++) assert.ok(!isSecretName('\ufdfa'.repeat(1_000)));
  });
});
