/** The frame around every view: navigation, theme, help. */
import { useEffect } from 'preact/hooks';
import { agents, loadAgents } from '../data/agents.ts';
import { InboxView } from '../inbox/inbox-view.tsx';
import { OwnerButton } from '../sessions/owner-dialog.tsx';
import { SessionsView } from '../sessions/sessions-view.tsx';
import { Help, openHelp } from '../shell/help.tsx';
import { type Shortcut, useShortcuts } from '../shell/keys.ts';
import { goTo, place, toHref } from '../shell/router.ts';
import { switchTheme, theme } from '../shell/theme.ts';
import { Button, Problem } from '../ui/parts.tsx';
import { SessionFrame } from './session-frame.tsx';

const SHORTCUTS: readonly Shortcut[] = [
  { keys: '?', does: 'Show these shortcuts', run: openHelp },
  { keys: 'g s', does: 'Go to the sessions', run: () => goTo({ view: 'sessions', query: {} }) },
  { keys: 'g i', does: 'Go to the inbox', run: () => goTo({ view: 'inbox', query: {} }) },
  { keys: 't', does: 'Switch the theme: system, light, dark', run: switchTheme },
];

export function App() {
  useShortcuts(SHORTCUTS);
  useEffect(() => void loadAgents(), []);
  const { failure } = agents.value;
  return (
    <>
      <button type="button" class="skip" onClick={toMain}>
        Skip to the content
      </button>
      <header class="bar">
        <a class="brand" href={toHref({ view: 'sessions', query: {} })}>
          <Mark /> Holdfast <span class="muted">console</span>
        </a>
        <nav aria-label="Main">
          <NavLink view="sessions">Sessions</NavLink>
          <NavLink view="inbox">Inbox</NavLink>
        </nav>
        <span class="bar-end">
          <OwnerButton />
          <Button kind="quiet" label={`Theme: ${theme.value}`} onClick={switchTheme}>
            {{ system: '◐', light: '☀', dark: '☾' }[theme.value]}
          </Button>
          <Button kind="quiet" label="Keyboard shortcuts" onClick={openHelp}>
            ?
          </Button>
        </span>
      </header>
      <main id="main" tabIndex={-1}>
        {failure && <Problem failure={failure} onRetry={() => void loadAgents()} />}
        <Current />
      </main>
      <Help />
    </>
  );
}

function Current() {
  const at = place.value;
  switch (at.view) {
    case 'sessions':
      return <SessionsView />;
    case 'inbox':
      return <InboxView />;
    case 'session':
      return (
        <SessionFrame
          key={`${at.agent}/${at.session}/${at.owner}`}
          owner={at.owner}
          agent={at.agent}
          session={at.session}
          tab={at.tab}
        />
      );
  }
}

function NavLink({ view, children }: { readonly view: 'sessions' | 'inbox'; readonly children: string }) {
  const isHere = place.value.view === view || (view === 'sessions' && place.value.view === 'session');
  return (
    <a href={toHref({ view, query: {} })} aria-current={isHere ? 'page' : undefined}>
      {children}
    </a>
  );
}

function toMain(): void {
  document.getElementById('main')?.focus();
}

const Mark = () => (
  <svg class="mark" viewBox="0 0 16 16" aria-hidden="true">
    <rect width="16" height="16" rx="4" />
    <path d="M5 3.5v9M11 3.5v9M5 8h6" />
  </svg>
);
