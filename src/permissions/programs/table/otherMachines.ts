import { t } from '../../../base/l10n';
import type { Effect, IrreversibleUse, Program } from '../program';
import { informs } from '../program';
import { CHANGES_CLUSTER, DELETES_DATA, DELETES_REMOTE, INFRASTRUCTURE, SENDS_ALWAYS } from './commonEffects';

const DESTROYS_INFRASTRUCTURE: IrreversibleUse = {
  words: [/(?:^| )(?:destroy|apply|up|state rm)(?= |$)/],
  why: t('changes or destroys infrastructure'),
};
const TALKS_TO_DEVICES: Effect = { why: 'sends', unless: informs(String.raw`devices$`) };

/** Programs that act on other machines, publish, or serve files. */
export const OTHER_MACHINES: readonly Program[] = [
  { names: 'helm', everyWord: true, effects: [INFRASTRUCTURE], irreversible: [CHANGES_CLUSTER] },
  { names: 'terraform', everyWord: true, effects: [INFRASTRUCTURE], irreversible: [DESTROYS_INFRASTRUCTURE] },
  { names: 'ansible ansible-playbook', everyWord: true, effects: [INFRASTRUCTURE] },
  { names: 'wrangler', isCommonPackage: true, effects: [INFRASTRUCTURE], irreversible: [DELETES_REMOTE] },
  { names: 'oc', effects: [INFRASTRUCTURE], irreversible: [CHANGES_CLUSTER] },
  { names: 'tofu pulumi cdk terragrunt', effects: [INFRASTRUCTURE], irreversible: [DESTROYS_INFRASTRUCTURE] },
  {
    names: 'aws gcloud az doctl heroku fly flyctl vercel netlify',
    effects: [INFRASTRUCTURE],
    irreversible: [DELETES_REMOTE],
  },
  {
    names: 'mysql mariadb psql sqlcmd mongosh mongos redis-cli clickhouse-client',
    effects: [SENDS_ALWAYS],
    irreversible: [DELETES_DATA],
  },
  {
    names: 'dropdb dropuser',
    effects: [SENDS_ALWAYS],
    irreversible: [{ why: t('deletes a database or database user') }],
  },
  {
    names:
      'firebase supabase railway oci ibmcloud linode-cli hcloud eb sam serverless amplify salt salt-call salt-ssh puppet chef chef-client helmfile tilt dokku kaggle wandb azcopy skopeo crane regctl oras argocd flux nomad consul packer skaffold',
    effects: [INFRASTRUCTURE],
  },
  {
    names:
      'rclone s3cmd s5cmd gsutil mc ngrok cloudflared tailscale mail mailx mutt telegram-send ntfy tftp ghstack spr dput jf jfrog osc okteto telepresence mirrord werf octo kpt sendmail msmtp swaks https http httpie xhs xh curlie wscat websocat grpcurl lftp sshpass autossh mosh rsh rlogin mysqldump pg_dump pg_restore cqlsh createdb createuser irm iwr nslookup dig',
    effects: [SENDS_ALWAYS],
  },
  { names: 'localtunnel', servesFiles: true, effects: [SENDS_ALWAYS] },
  { names: 'k6', effects: [{ why: 'sends', words: /^cloud\b/ }] },
  { names: 'xcrun', effects: [{ why: 'publishes', words: /^(?:altool|notarytool)\b/ }] },
  { names: 'openssl', effects: [{ why: 'sends', words: /^s_(?:client|server|time)\b/ }] },
  {
    names: 'rpcclient kafkacat kcat mosquitto_pub mosquitto_sub mosquitto_rr nats adb host',
    effects: [TALKS_TO_DEVICES],
  },
  { names: 'smbclient', effects: [TALKS_TO_DEVICES], matches: /^ldap\w+$/ },
  { names: 'getent', effects: [{ why: 'sends', words: /^(?:-\S+ )*a?hosts\w* \S/ }] },
  {
    names: 'ffmpeg',
    effects: [
      { why: 'sends', words: /(?<!(?:^| )-i) https?:\S+$/i },
      {
        why: 'showsSecrets',
        words: /(?:^| )-f (?:x11grab|avfoundation|gdigrab|dshow|v4l2|alsa|pulse|kmsgrab|fbdev)(?= |$)/,
      },
    ],
  },
  { names: 'convert magick', effects: [{ why: 'sends', words: /(?<!(?:^| )-i) https?:\S+$/i }] },
  {
    names:
      'np gh-pages surge codecov coveralls chromatic percy snyk fossa sonar-scanner bumpp eas kamal fastlane capistrano cap zappa chalice shipit sentry-cli auto web-ext-submit goreleaser pastebinit fpaste gist vc now',
    publishes: true,
  },
  {
    names:
      'serve-static serve-handler serve-index miniserve dufs sfz httpd httpd2 webfs webfsd nginx caddy devd twist twistd browser-sync pyftpdlib aiohttp.web wsgidav smbd vsftpd proftpd pure-ftpd ftpd tftpd ttyd gotty tty-share croc wormhole magic-wormhole sendme bore frpc copyparty filebrowser svnserve openvscode-server wetty tmate upterm zrok pagekite chisel rathole jupyter-lab jupyter-notebook jupyter-server ipfs',
    servesFiles: true,
  },
  { names: 'lt ws', servesFiles: 'name' },
  { names: 'jupyter', serveVerbs: /^(?:notebook|lab|server|nbclassic)$/ },
];
