/** Shows one session: its header, its tabs, and the selected view. */
import { useEffect, useMemo } from 'preact/hooks';
import { ChatView } from '../chat/chat-view.tsx';
import { openSession, type SessionViewProps } from '../data/session-store.ts';
import { visit } from '../data/visited.ts';
import { JournalView } from '../journal/journal-view.tsx';
import { type Shortcut, useShortcuts } from '../shell/keys.ts';
import { goTo, place, SESSION_TABS, type SessionTab, toHref } from '../shell/router.ts';
import { StateView } from '../state/state-view.tsx';
import { ToolsView } from '../tools/tools-view.tsx';
import { TurnView } from '../turn/turn-view.tsx';
import { Badge, Loading, Problem } from '../ui/parts.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { Line } from '../ui/words.tsx';
import { SessionSummary } from './session-summary.tsx';

const TAB_LABELS: Readonly<Record<SessionTab, string>> = {
  chat: 'Chat',
  turn: 'Turn',
  tools: 'Tools',
  journal: 'Journal',
  state: 'State',
};

const TAB_VIEWS: Readonly<Record<SessionTab, (props: SessionViewProps) => preact.ComponentChildren>> = {
  chat: ChatView,
  turn: TurnView,
  tools: ToolsView,
  journal: JournalView,
  state: StateView,
};

const toTab = (tab: SessionTab): void => {
  const at = place.peek();
  if (at.view === 'session') goTo({ ...at, tab, query: {} });
};

const SHORTCUTS: readonly Shortcut[] = SESSION_TABS.map((tab, index) => ({
  keys: String(index + 1),
  does: `Show ${TAB_LABELS[tab]}`,
  run: () => toTab(tab),
}));

interface SessionFrameProps {
  readonly owner: string | undefined;
  readonly agent: string;
  readonly session: string;
  readonly tab: SessionTab;
}

export function SessionFrame({ owner, agent, session, tab }: SessionFrameProps) {
  useShortcuts(SHORTCUTS);
  const store = useMemo(() => openSession({ agent, id: session, owner }), [agent, session, owner]);
  useEffect(() => {
    if (owner === undefined) visit(agent, session);
    return store.close;
  }, [store]);
  const View = TAB_VIEWS[tab];
  return (
    <div class="session">
      <header class="session-head">
        <p class="crumbs">
          <a href={toHref({ view: 'sessions', query: {} })}>Sessions</a>
          <span aria-hidden="true">/</span>
          <Line text={agent} />
          <span aria-hidden="true">/</span>
        </p>
        <h1>
          <Line text={session} />
        </h1>
        <ConnectionBadge store={store} />
        <SessionSummary store={store} />
      </header>
      <Tabs
        label="Views of the session"
        tabs={SESSION_TABS.map((id) => ({ id, label: TAB_LABELS[id] }))}
        selected={tab}
        onSelect={toTab}
        panel="view"
      />
      <div id="view" role="tabpanel" aria-labelledby={`tab-${tab}`} class={`view view-${tab}`}>
        <ShownTab store={store} tab={tab} view={View} />
      </div>
    </div>
  );
}

interface ShownViewProps extends SessionViewProps {
  readonly tab: SessionTab;
  readonly view: (props: SessionViewProps) => preact.ComponentChildren;
}

/** A chat can be shown before the session exists, since its first message starts it. */
function ShownTab({ store, tab, view: View }: ShownViewProps) {
  const { value: failure } = store.failure;
  if (failure && store.length.value === 0) return <Problem failure={failure} onRetry={store.follow} />;
  if (store.connection.value === 'loading' && store.length.value === 0) return <Loading what="the journal" />;
  return <View key={tab} store={store} />;
}

function ConnectionBadge({ store }: SessionViewProps) {
  switch (store.connection.value) {
    case 'live':
      return <Badge tone="good">Live</Badge>;
    case 'empty':
      return <Badge>Not started</Badge>;
    case 'erased':
      return <Badge tone="bad">Erased</Badge>;
    case 'failed':
      return <Badge tone="bad">Disconnected</Badge>;
    case 'loading':
      return <Badge>Loading</Badge>;
    case 'reconnecting':
      return <Badge tone="warn">Reconnecting</Badge>;
  }
}
