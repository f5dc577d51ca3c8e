import { NOON } from '../sample';
import { scenesOf } from './scene';

const TABLE = `| Option | What it does | Default | Since | Where it is set |
|---|---|--:|---|---|
| \`retries\` | How often an upload is tried again after a failure | 4 | 1.2 | In the settings of the workspace |
| \`timeout\` | Seconds until a try is given up | 30 | 1.0 | In the settings of the user |

\`\`\`mermaid
graph LR; Upload --> Retry --> Done
\`\`\`
`;

/** What Markdown of an answer may hold. */
export const proseScenes = scenesOf({
  wideTable: async (page) => {
    await page.act(
      { type: 'promptSent', text: 'List the options', blocks: [], at: NOON },
      { type: 'textAppended', role: 'agent', text: TABLE, at: NOON },
      { type: 'turnEnded', stopReason: 'end_turn', at: NOON },
    );
    await page.page.getByRole('group', { name: 'Table' }).waitFor();
  },
});
