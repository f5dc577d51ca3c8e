import type { JSX } from 'preact';
import { Announcer } from './announcer';
import { Boundary } from './boundary';
import { Changes } from './changes';
import { Composer } from './composer';
import { ConnectionAlert } from './connectionAlert';
import { Page } from './context';
import type { PageContext } from './context';
import { Header } from './header';
import { Plan } from './plan';
import { ToolsPanel } from './toolsPanel';
import { Transcript } from './transcript';

/** The whole page. */
export function App({ page }: { page: PageContext }): JSX.Element {
  return (
    <Page.Provider value={page}>
      <Boundary what="The chat" report={page.report}>
        <Parts page={page} />
      </Boundary>
    </Page.Provider>
  );
}

function Parts({ page }: { page: PageContext }): JSX.Element {
  const { store } = page;
  const epoch = store.epoch.value;
  if (epoch === undefined) return <p class="opening muted">Opening the conversation…</p>;
  return (
    <div class="app">
      <Header />
      <div class="stage">
        <div class="stage-chat" inert={store.tools.open.value}>
          <Boundary what="The conversation" report={page.report} key={epoch}>
            <Transcript />
          </Boundary>
          <div class="dock">
            <Boundary what="The plan" report={page.report}>
              <ConnectionAlert />
              <Plan />
            </Boundary>
            <Boundary what="The changes" report={page.report}>
              <Changes />
            </Boundary>
            <Composer />
          </div>
        </div>
        <Boundary what="The tools" report={page.report}>
          <ToolsPanel />
        </Boundary>
      </div>
      <Announcer />
    </div>
  );
}
