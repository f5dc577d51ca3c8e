import { t } from '../../base/l10n';
import { normalizeText } from '../../base/text';

/**
 * Files that no rule may allow: writing them runs code later or changes agents' permissions; reading some reveals
 * secrets. Names are compared for the laxest file system: ignoring case and Unicode composition, and with Windows'
 * streams, dots and short names.
 */

/**
 * Why a path is protected, as a text after its name; undefined when it is not.
 * @param path relative to its workspace folder
 */
export function protectedReason(path: string, use: 'reads' | 'writes'): string | undefined {
  // Each name in all forms that a file system may accept.
  const names = path.split(/[\\/]+/).map(foldedNames);
  const folders = names.flat();
  const files = names.at(-1) ?? [];
  if (files.some(isCredential) || folders.some((name) => CREDENTIAL_FOLDERS.has(name)))
    return t('contains credentials');
  if (use === 'writes' && folders.some((name) => FOLDERS.has(name)))
    return t('is read by a tool that can run code from it');
  if (isSecretIn(names, files)) return t('contains credentials');
  if (use === 'reads') return undefined;
  if (isGithub(names)) return t('is read by GitHub or agents and can run code');
  if (files.some((name) => FILES.has(name) || LATER.test(name) || FAMILIES.test(name)))
    return t('can run code later or contains instructions for agents');
  return folders.some(isShortName) ? t('contains a short name (8.3) that may refer to a protected folder') : undefined;
}

/** Folders of version control, editors, agents and hooks. */
const FOLDERS: ReadonlySet<string> = new Set(
  `.git .hg .svn .jj .vscode .vscode-server .vscode-insiders .idea .fleet .zed .claude .cursor .codex .gemini .qwen .opencode .windsurf .codeium
  .continue .roo .cline .kilocode .kiro .junie .augment .amazonq .trae .goose .factory .agents .agent .parley .copilot .openhands .crush
  .clinerules .amp .grok .pi .rovodev .tabnine .husky .githooks .git-hooks .hooks .lefthook .devcontainer .circleci .buildkite .woodpecker
  .tekton .azure-pipelines .helix .vs .antigravity .codebuddy .iflow .kimi .qoder .vibe .warp .zencoder
  .gitea .forgejo .gitlab .teamcity .semaphore .direnv .config .local .yarn .cargo .mvn .gradle .bundle .mise .vim .nvim .emacs.d .bashrc.d .zshrc.d
  .profile.d`.split(/\s+/),
);

/** Below `.github`. */
const GITHUB: ReadonlySet<string> = new Set(
  `workflows actions prompts instructions chatmodes agents skills hooks scripts copilot-instructions.md copilot-setup-steps.yml dependabot.yml
  codeowners`.split(/\s+/),
);

/** Settings of agents and MCP, start files of shells, and what builds and hooks run. */
const FILES: ReadonlySet<string> = new Set(
  `.mcp.json mcp.json mcp_config.json mcp-config.json mcp_settings.json cline_mcp_settings.json claude_desktop_config.json agents.md agent.md skill.md claude.md claude.local.md gemini.md qwen.md codex.md warp.md crush.md copilot-instructions.md
  .cursorrules .cursorignore .windsurfrules .continuerules .rules .roomodes .kilocodemodes .goosehints .aiderignore .geminiignore .aiexclude
  opencode.json opencode.jsonc .opencode.json crush.json .crush.json
  .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc
  .login .inputrc .envrc config.fish profile.ps1 microsoft.powershell_profile.ps1 microsoft.vscode_profile.ps1 autoexec.bat desktop.ini autorun.inf
  .gitconfig .gitmodules .gitattributes .hgrc .lesskey .vimrc .gvimrc .exrc .nvimrc .nvim.lua .emacs .dir-locals.el .tmux.conf .gdbinit .lldbinit .pythonrc .irbrc .pryrc .ripgreprc
  .curlrc .wgetrc package.json .yarnrc .yarnrc.yml bunfig.toml deno.json deno.jsonc mise.toml .mise.toml mise.local.toml .mise.local.toml pip.conf nuget.config
  gradlew gradlew.bat mvnw mvnw.cmd gradle-wrapper.properties gradle-wrapper.jar .bazelrc .pre-commit-config.yaml .pre-commit-hooks.yaml .overcommit.yml
  .devcontainer.json .gitpod.yml .replit .cirrus.yml cloudbuild.yaml buildspec.yml .gitlab-ci.yml .travis.yml azure-pipelines.yml azure-pipelines.yaml .appveyor.yml .woodpecker.yml .woodpecker.yaml jenkinsfile bitbucket-pipelines.yml .drone.yml appveyor.yml
  sitecustomize.py usercustomize.py conftest.py`.split(/\s+/),
);

const LATER =
  /\.code-workspace$|\.(?:agent|prompt|instructions|chatmode|toolsets)\.md$|\.mdc$|\.plist$|\.desktop$|\.service$/;

/** All variants of one tool's files: `lefthook.toml`, `.lintstagedrc.mjs`, `AGENTS.override.md`. */
const FAMILIES =
  /^(?:\.?lefthook(?:-local)?\.(?:ya?ml|toml|json|jsonc)|\.lintstagedrc(?:\..+)?|lint-staged\.config\..+|\.huskyrc(?:\..+)?|\.?simple-git-hooks\..+|\.pnpmfile\..+|\.(?:clinerules|roorules)(?:-.+)?|\.aider\..+|(?:agents|claude|gemini|qwen)\.(?:override|local)\.md)$/;

const CREDENTIAL_FILES: ReadonlySet<string> = new Set(
  `.npmrc .netrc _netrc .pypirc .git-credentials .pgpass .my.cnf .mylogin.cnf .htpasswd .boto .s3cfg .dockercfg .terraformrc terraform.rc
  .vault-token .vault_pass .vault-pass .credentials.json credentials credentials.json credentials.yml credentials.yaml credentials.toml credentials.db client_secret.json client_secrets.json service-account.json serviceaccount.json
  application_default_credentials.json secrets.json secrets.yml secrets.yaml secrets.toml .secrets .secrets.toml id_rsa id_dsa id_ecdsa id_ecdsa_sk id_ed25519
  id_ed25519_sk identity hosts.yml kubeconfig kubeconfig.yaml shadow gshadow master.key auth.json login.keychain-db
  cookies cookies.sqlite logins.json key4.db .claude.json oauth_creds.json google_accounts.json local.settings.json .hgrc hgrc .yarnrc.yml .sentryclirc
  .clasprc.json .databrickscfg .passwd-s3fs .dockerconfigjson rclone.conf settings-security.xml`.split(/\s+/),
);
const CREDENTIAL_FOLDERS: ReadonlySet<string> = new Set(
  '.aws .ssh .gnupg .gpg .kube .azure .gcloud .docker .oci .bluemix gcloud .password-store keychains github-copilot'.split(
    ' ',
  ),
);
const CREDENTIAL_ENDING =
  /\.(?:pem|p12|pfx|pkcs12|jks|keystore|keytab|kdbx|key|ppk|ovpn|tfstate|p8)$|\.tfvars(?:\.json)?$|^\.env|\.env$|^\.dev\.vars(?:$|\.)|^\.\w+_history$/;
const CREDENTIAL_FAMILIES =
  /^(?:mcp[-_])?oauth[-_]tokens?\b.*\.json$|service[-_]account.*\.json$|^gha-creds-.*\.json$|^client_secret_.*\.json$/;
/** Names of secrets below these folders; in other folders, such names are common. */
const SECRETS_IN: Readonly<Record<string, ReadonlySet<string>>> = {
  '.git': new Set(['config', 'config.worktree', 'credentials']),
  '.gradle': new Set(['gradle.properties']),
  '.m2': new Set(['settings.xml']),
};
/** Files that are published intentionally. */
const NO_CREDENTIAL = /^\.env\.(?:example|sample|template|dist|defaults)$/;

/** What editors, file managers and programs add to the name of a copy: `x~`, `#x#`, `.x.swp`, `x.bak`, `x copy`, `x (1)`. */
const COPY =
  /(?:[.~_-](?:\d{1,3}~|bak|backup|old|orig|save|saved|copy|prev|tmp|rej)\d{0,3}|~\d*| copy(?: \d+)?| ?\(\d+\)| - copy(?: ?\(\d+\))?|~|#|\.sw[a-p])$/;

function isCredential(name: string): boolean {
  return isCredentialName(name) || isCredentialName(withoutCopyMarks(name));
}

function isCredentialName(name: string): boolean {
  return (
    !NO_CREDENTIAL.test(name) &&
    (CREDENTIAL_FILES.has(name) || CREDENTIAL_ENDING.test(name) || CREDENTIAL_FAMILIES.test(name))
  );
}

/** The name of the file that a backup or a copy was made of: `.env` of `..env.swp`, `server.key` of `server (1).key`. */
function withoutCopyMarks(name: string): string {
  const plain = name.replace(COPY, '').replace(COPY, '');
  const inner = plain.replace(/(?: copy(?: \d+)?| ?\(\d+\)| - copy)(?=\.\w+$)/, '');
  if (/\.sw[a-p]$/.test(name)) return inner.replace(/^\./, '');
  return name.startsWith('#') || name.startsWith('.#') ? inner.replace(/^\.?#/, '') : inner;
}

function isSecretIn(names: readonly (readonly string[])[], files: readonly string[]): boolean {
  return Object.entries(SECRETS_IN).some(
    ([folder, secrets]) => files.some((name) => secrets.has(name)) && names.some((forms) => forms.includes(folder)),
  );
}

function isGithub(names: readonly (readonly string[])[]): boolean {
  return names.some((forms, index) => {
    if (!forms.includes('.github')) return false;
    const inside = names[index + 1];
    return inside === undefined || inside.some((name) => GITHUB.has(name));
  });
}

/** macOS ignores these in names (CVE-2014-9390), Windows ignores control characters. */
const IGNORED = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * The comparable forms of a name: also without its stream (`mcp.json::$DATA`). Windows ignores trailing dots and
 * blanks.
 */
function foldedNames(name: string): string[] {
  // Via upper case, in which more characters are equal: `ſ` and S, `ß` and SS.
  const shown = normalizeText(name, 'NFC').replace(IGNORED, '');
  const folded = normalizeText(shown.toUpperCase().toLowerCase(), 'NFC');
  const whole = folded.replace(/(?<![. ])[. ]+$/, '');
  const [stem = ''] = folded.split(':');
  const plain = stem.replace(/(?<![. ])[. ]+$/, '');
  return plain === whole || plain === '' ? [whole] : [whole, plain];
}

/** `GIT~1` may be Windows' short name of `.git`; `HEAD~1` is a commit. */
function isShortName(name: string): boolean {
  return !/^head~\d+$/.test(name) && /^[^.~]{1,6}~\d{1,6}(?:\.[^.]{0,3})?$/.test(name);
}
