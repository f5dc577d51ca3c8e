import { reviewed, NOON } from '../sample';
import { changedPrompt, problems, tickets, toolsShown } from '../toolsSample';
import { scenesOf } from './scene';

/** The Tools panel. */
export const toolScenes = scenesOf({
  tools: async (page) => {
    await page.act(...reviewed(NOON));
    await page.button('Tools').click();
    await page.sentType('watchTools');
    await page.post({ type: 'tools', tools: toolsShown });
    await page.page.getByRole('button', { name: /^Problems/ }).click();
  },
  'tools-loading': async (page) => {
    await page.button('Tools').click();
    await page.sentType('watchTools');
  },
  'tools-changed': async (page) => {
    await page.button('Tools').click();
    await page.sentType('watchTools');
    const changed = { ...tickets, tools: [changedPrompt, ...tickets.tools] };
    await page.post({ type: 'tools', tools: { ...toolsShown, servers: [changed, problems], warnings: [], calls: [] } });
  },
  'tools-sign-in': async (page) => {
    await page.button('Tools').click();
    await page.sentType('watchTools');
    const server = { ...tickets, tools: [], unavailableReason: 'wants a sign-in', signIn: 'required' } as const;
    await page.post({ type: 'tools', tools: { ...toolsShown, servers: [server] } });
    await page.button('Sign In').waitFor();
  },
  'tools-elsewhere': async (page) => {
    await page.button('Tools').click();
    await page.sentType('watchTools');
    const unavailableReason =
      'the agent runs on another machine or in a container and can use only public https servers';
    const review = { ...tickets, tools: [], state: 'review what the server runs first', needsSetup: true } as const;
    const listed = { ...problems, name: 'wiki', title: 'Wiki', origin: 'person', isOn: true } as const;
    const servers = [{ ...problems, unavailableReason }, review, listed];
    await page.post({ type: 'tools', tools: { ...toolsShown, agent: 'Claude', transport: 'none', servers } });
    await page.button('Set Up').waitFor();
  },
  'tools-untrusted': async (page) => {
    await page.button('Tools').click();
    await page.sentType('watchTools');
    await page.post({ type: 'tools', tools: { ...toolsShown, trusted: false, servers: [], warnings: [], calls: [] } });
  },
});
