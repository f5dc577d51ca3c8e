import assert from 'node:assert/strict';
import { protectedReason } from '../../../../src/permissions/rules/protectedPaths';

/** Spellings that open the same file on some file system. */
const SPELLINGS: Readonly<Record<string, (path: string) => string>> = {
  'as it is': (path) => path,
  'in capitals': (path) => path.toUpperCase(),
  'with a dot at the end': (path) => `${path}.`,
  'with dots and blanks at the end': (path) => `${path} . `,
  'as a stream': (path) => `${path}::$DATA`,
  'with backslashes': (path) => path.replaceAll('/', '\\'),
  'in a folder': (path) => `packages/a/${path}`,
  'with a character that is left out': (path) => `${path.slice(0, 2)}\u200d${path.slice(2)}`,
};

/** Writing these files runs a program later, or influences agents. */
const WRITTEN = `
  .devcontainer.json .devcontainer/devcontainer.json .clinerules .clinerules/a.md .clinerules-code AGENTS.override.md AGENTS.local.md
  lefthook.yml lefthook.toml lefthook.json lefthook-local.yml .lefthook.toml .lefthook-local.yml .lintstagedrc .lintstagedrc.mjs .lintstagedrc.yaml
  lint-staged.config.mjs .pnpmfile.cjs .pnpmfile.mjs .huskyrc.js .simple-git-hooks.json simple-git-hooks.cjs .overcommit.yml
  .cargo/config.toml .cargo/config .mvn/jvm.config .mvn/wrapper/maven-wrapper.properties mvnw mvnw.cmd gradlew gradlew.bat
  gradle/wrapper/gradle-wrapper.properties .gradle/init.gradle deno.json deno.jsonc .nvim.lua .gvimrc .vim/vimrc .emacs.d/init.el mise.toml .mise.local.toml
  .roorules-code .continuerules .rules .cursor/rules/a.mdc rules/a.mdc .aider.model.settings.yml mcp_config.json mcp-config.json cline_mcp_settings.json
  .opencode.json crush.json .crush.json SKILL.md .gitea/workflows/a.yml .forgejo/workflows/a.yml .gitlab/ci/a.yml .cirrus.yml .gitpod.yml .replit
  .appveyor.yml .woodpecker.yml .woodpecker/a.yml .tekton/a.yaml .azure-pipelines/a.yml azure-pipelines.yaml .helix/languages.toml .vs/tasks.vs.json
  .antigravity/a.json .codebuddy/a.json .iflow/settings.json .kimi/config.toml .qoder/a.json .vibe/config.toml .warp/a.yaml .zencoder/a.json
  .ripgreprc .bundle/config .bashrc.d/a .bazelrc nuget.config pip.conf .curlrc .wgetrc
  .vscode/settings.json .git/config .git/hooks/pre-commit package.json .mcp.json .claude/settings.json x.code-workspace`;

/** Reading these files reveals secrets. */
const READ = `
  .claude/.credentials.json .credentials.json .gemini/oauth_creds.json .qwen/oauth_creds.json .gemini/mcp-oauth-tokens.json .codex/auth.json .claude.json
  github-copilot/hosts.json github-copilot/apps.json terraform.tfvars prod.tfvars prod.auto.tfvars prod.tfvars.json .git/config .git/modules/a/config
  .git/config.worktree .hg/hgrc .hgrc .yarnrc.yml my-service-account.json gha-creds-1a2b.json .vault_pass .dev.vars .dev.vars.production .bash_history
  .python_history .sentryclirc .clasprc.json .databrickscfg rclone.conf login.keytab .gradle/gradle.properties .m2/settings.xml local.settings.json
  .env~ .env.bak .env.~1~ .env@prod .env+x ..env.swp #.env# .#.env id_rsa.bak .npmrc.old server.key.orig terraform.tfstate.backup credentials.yml
  .env .env.local prod.env .npmrc id_rsa server.pem .aws/credentials`;

/** Names that file managers give to copies. */
const COPIES = [
  '.env copy',
  '.env copy 2',
  '.env (1)',
  '.env - Copy',
  'server (1).key',
  'server copy.key',
  'id_rsa (2)',
];

/** Everyday files that resemble protected ones. */
const ORDINARY = `
  src/a.ts README.md src/config.ts config config/config.toml deno.ts gradle/libs.versions.toml gradle.properties settings.xml docs/agents.ts
  src/a.ts~ .a.ts.swp README.md.bak notes.old environment.ts env.d.ts .env.example variables.tf hosts.json apps.json config.json history.ts lefthook.md rules/a.md .gitignore .github/ISSUE_TEMPLATE.md`;

const words = (text: string): string[] => text.trim().split(/\s+/);

describe('rules: protected files', () => {
  it('are detected in every spelling', () => {
    for (const [spelling, spell] of Object.entries(SPELLINGS)) {
      const missed = [
        ...words(WRITTEN).filter((path) => protectedReason(spell(path), 'writes') === undefined),
        ...[...words(READ), ...COPIES].filter((path) => protectedReason(spell(path), 'reads') === undefined),
      ];
      assert.deepEqual(missed, [], spelling);
    }
  });

  it('do not include ordinary files', () => {
    const found = words(ORDINARY).flatMap((path) => protectedReason(path, 'writes') ?? []);
    assert.deepEqual(found, []);
  });

  it('may be read if they contain no secrets', () => {
    const found = ['package.json', 'AGENTS.md', '.vscode/settings.json', 'gradlew', '.git/HEAD', '.cargo/config.toml'];
    assert.deepEqual(
      found.flatMap((path) => protectedReason(path, 'reads') ?? []),
      [],
    );
  });

  it('take linear time with blanks and dots within a name', () => {
    for (const filler of [' ', '.', '. ']) {
      assert.equal(protectedReason(`a${filler.repeat(200_000)}b`, 'writes'), undefined);
      assert.ok(protectedReason(`package.json${filler.repeat(200_000)}`, 'writes'));
    }
  });
});
