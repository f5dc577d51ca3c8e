import { t } from './l10n';
/** Variables `${…}` in settings. */

/** The values of the variables in this window. */
export interface Variables {
  /** Absolute path of the first workspace folder; undefined when none is open. */
  readonly workspaceFolder: string | undefined;
  readonly userHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `${NAME}` and `${NAME:-default}` also stand for environment variables, as in files of Claude and Copilot. */
  readonly hasPlainNames?: boolean;
}

type SubstitutedText = { readonly value: string } | { readonly problem: string };

/**
 * Substitutes `${workspaceFolder}`, `${userHome}` and `${env:NAME}`. An unset environment variable is empty, as in VS Code's own settings;
 * any other `${…}` is a problem.
 * @param inputs receives the names of `${input:NAME}`, which stays in the text until the user has provided the value; not allowed when
 * undefined
 */
export function substituteVariables(text: string, variables: Variables, inputs?: Set<string>): SubstitutedText {
  let problem: string | undefined;
  // Without `{` inside, the time stays linear in a text of many starts.
  const value = text.replace(/\$\{([^{}]*)\}/g, (whole, name: string) => {
    const input = inputs && INPUT_NAME.exec(name)?.[1];
    if (input !== undefined) {
      inputs?.add(input);
      return whole;
    }
    const found = lookUp(name, variables);
    if (typeof found === 'string') return found;
    problem ??= found.problem;
    return whole;
  });
  return problem === undefined ? { value } : { problem };
}

const PLAIN_NAME = /^([A-Za-z_]\w*)(?::-([^]*))?$/;
const INPUT_NAME = /^input:([\w.-]+)$/;

/**
 * Expands `~` as shells do: at the start of a command, an argument, a folder or the value of a variable, there also after each colon.
 * @param field its place in the entry, such as `.env["PATH"]`; URLs and headers stay as they are
 */
export function expandHome(text: string, field: string, { userHome }: Variables): string {
  if (field === '.url' || field.startsWith('.headers')) return text;
  const tilde = field.startsWith('.env') ? /(?<=^|:)~(?=$|[/\\:])/g : /^~(?=$|[/\\])/;
  return text.replace(tilde, () => userHome);
}

/** Substitutes secrets for `${input:NAME}`; an input without a value stays. */
export function substituteInputs(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(/\$\{input:([\w.-]+)\}/g, (whole, name: string) => values.get(name) ?? whole);
}

/** Names of environment variables in the text that are not set and have no default. */
export function unsetVariables(text: string, { env, hasPlainNames }: Variables): readonly string[] {
  const names = [...text.matchAll(/\$\{(env:)?([^{}:]+)\}/g)].flatMap(([, prefix, name = '']) => {
    const isPlain = hasPlainNames === true && name !== 'workspaceFolder' && name !== 'userHome';
    return prefix !== undefined || isPlain ? [name] : [];
  });
  return [...new Set(names)].filter((name) => env[name] === undefined);
}

function lookUp(name: string, variables: Variables): string | { problem: string } {
  if (name === 'userHome') return variables.userHome;
  if (name.startsWith('env:')) return variables.env[name.slice('env:'.length)] ?? '';
  if (name.startsWith('input:')) {
    const rule = t('${input:NAME} (letters, digits, ".", "_", "-") is allowed only in values of "env" and "headers"');
    return { problem: t('"${{0}}" cannot be used here; {1}', name, rule) };
  }
  const [, plain, fallback = ''] = (variables.hasPlainNames && PLAIN_NAME.exec(name)) || [];
  if (name !== 'workspaceFolder' && plain !== undefined) return variables.env[plain] || fallback;
  if (name !== 'workspaceFolder') {
    return {
      problem: t(
        'unknown variable "${{0}}"; available variables are ${workspaceFolder}, ${userHome} and ${env:NAME}',
        name,
      ),
    };
  }
  return variables.workspaceFolder ?? { problem: t('"${workspaceFolder}" is used, but no folder is open') };
}
