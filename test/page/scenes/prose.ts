import { environment } from '../harness';
import { NOON } from '../sample';
import { scenesOf } from './scene';

const FORMULAS = String.raw`The roots of $ax^2 + bx + c = 0$ cost \$5, not $10 or $12:

$$
x_{1,2} = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}
$$

\[
\begin{aligned}
f(x) &= \int_0^\infty e^{-t}\,t^{x-1}\,dt \\
     &= (x-1)! \quad \text{for all } x \in \mathbb{N}
\end{aligned}
\]

- With \(\alpha_i \le \mathcal{L}(\mathbf{w})\) and $\hat{y} = \operatorname{softmax}(Wx)$
- A matrix: $A = \begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}$, a case: $|x| = \begin{cases} x & x \ge 0 \\ -x & \text{else} \end{cases}$

$$\sum_{n=1}^{N} \left( \frac{1}{n^2} + \frac{1}{n^3} + \frac{1}{n^4} + \frac{1}{n^5} + \frac{1}{n^6} \right) \le \zeta(2) + \zeta(3) + \zeta(4) + \zeta(5) + \zeta(6) = \boxed{C} \tag{1}$$

An error stays as it was written: $\frac{1}{2$ and $\unknown{x}$.
`;

const TABLE = `| Option | What it does | Default | Since | Where it is set |
|---|---|--:|---|---|
| \`retries\` | How often an upload is tried again after a failure | 4 | 1.2 | In the settings of the workspace |
| \`timeout\` | Seconds until a try is given up | 30 | 1.0 | In the settings of the user |

\`\`\`mermaid
graph LR; Upload --> Retry --> Done
\`\`\`
`;

/** All Markdown elements of an answer. */
export const proseScenes = scenesOf({
  formulas: async (page) => {
    await page.act(
      { type: 'promptSent', text: 'Solve it', blocks: [], at: NOON },
      { type: 'textAppended', role: 'agent', text: FORMULAS, at: NOON },
      { type: 'turnEnded', stopReason: 'end_turn', at: NOON },
    );
    await page.page.locator('.md-display math').nth(2).waitFor();
  },
  wideTable: async (page) => {
    await page.act(
      { type: 'promptSent', text: 'List the options', blocks: [], at: NOON },
      { type: 'textAppended', role: 'agent', text: TABLE, at: NOON },
      { type: 'turnEnded', stopReason: 'end_turn', at: NOON },
    );
    await page.page.locator('.md-table').waitFor();
    await page.post({ type: 'environment', environment: { ...environment, diagrams: true } });
    // The toolbar of a code block is visible while it has the focus.
    await page.button('Show Diagram').focus();
  },
});
