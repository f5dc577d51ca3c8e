import { mkdir } from 'node:fs/promises';
import type { AuditHostMessage, AuditPageMessage } from '../../src/shared/auditMessages';
import { auditRecords } from './auditRecords';
import type { ThemeName } from './harness';
import { closeBrowser } from './harness';
import { PanelPage } from './panelPage';

/** Pictures of the audit log: `npm run pictures audit` writes them to out/pictures. */

const FOLDER = 'out/pictures';
const THEMES: readonly ThemeName[] = ['dark', 'light', 'hc', 'hc-light'];

async function picture(theme: ThemeName, width: number): Promise<void> {
  const options = { script: 'audit', title: 'Parley Audit Log', theme, width };
  const panel = await PanelPage.open<AuditHostMessage, AuditPageMessage>(options);
  await panel.post({ type: 'records', fresh: true, records: auditRecords });
  await panel.page.getByRole('row').nth(3).click();
  await panel.page.getByRole('region', { name: 'Decision' }).waitFor();
  await panel.page.screenshot({ path: `${FOLDER}/audit-${theme}-${width}.png` });
  await panel.close();
}

async function main(): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  for (const theme of THEMES) for (const width of [300, 900]) await picture(theme, width);
  await closeBrowser();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
