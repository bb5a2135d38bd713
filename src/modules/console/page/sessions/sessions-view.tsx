/** Lists the caller's sessions from the app's index, or else the sessions that this browser has opened. */
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { ListedSession, SessionStatus } from '../../../../worker/index-views.ts';
import { useAction } from '../data/action.ts';
import { agents } from '../data/agents.ts';
import { requestIndex } from '../data/index-use.ts';
import { useLoaded } from '../data/resource.ts';
import { forget, visitedSessions } from '../data/visited.ts';
import { type Shortcut, useShortcuts } from '../shell/keys.ts';
import { place, setQuery, toSessionHref } from '../shell/router.ts';
import { formatAgo, formatCompact, formatCount, formatDateTime, formatDollars } from '../ui/format.ts';
import { Badge, Button, Empty, Loading, Problem } from '../ui/parts.tsx';
import { Line } from '../ui/words.tsx';
import { openOwners } from './owner-dialog.tsx';
import {
  hasMore,
  listInOrder,
  loadPages,
  type SessionPages,
  type SessionSelection,
  withFirst,
} from './session-pages.ts';
import { StartSession } from './start-session.tsx';

const isStarting = signal(false);

function start(): void {
  isStarting.value = true;
}

function closeStart(): void {
  isStarting.value = false;
}

const SHORTCUTS: readonly Shortcut[] = [
  { keys: 'c', does: 'Open or start a session', run: start },
  { keys: 'o', does: 'Look at the sessions of another owner', run: openOwners },
  { keys: '/', does: 'Search the titles', run: () => document.getElementById('search')?.focus() },
  { keys: 'j', does: 'Next session', run: () => moveFocus(1) },
  { keys: 'k', does: 'Previous session', run: () => moveFocus(-1) },
];

function moveFocus(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('.session-row')];
  const active = document.activeElement;
  const at = active instanceof HTMLElement ? rows.indexOf(active) : -1;
  rows[Math.max(0, Math.min(rows.length - 1, at + by))]?.focus();
}

export function SessionsView() {
  useShortcuts(SHORTCUTS);
  const names = (agents.value.value ?? []).map(({ name }) => name);
  const { owner } = place.value;
  const { agent = '', status = '', search = '' } = place.value.query;
  return (
    <div class="page sessions">
      <header class="page-head">
        <h1>Sessions</h1>
        <Button kind="primary" onClick={start}>
          New session
        </Button>
      </header>
      <search class="filters">
        <input
          id="search"
          class="input"
          type="search"
          placeholder="Search titles"
          aria-label="Search titles"
          value={search}
          onInput={(event) => setQuery({ search: event.currentTarget.value || undefined })}
        />
        <Choice label="Status" value={status} all="Every status" choices={SESSION_STATUSES} name="status" />
        {names.length > 1 && (
          <Choice label="Agent" value={agent} all="Every agent" choices={names} name="agent" />
        )}
      </search>
      {agents.value.isLoading ? (
        <Loading what="the sessions" />
      ) : (
        <SessionList
          key={`${agent} ${status} ${owner}`}
          owner={owner}
          names={agent === '' ? names : [agent]}
          status={SESSION_STATUSES.find((one) => one === status)}
          search={search}
        />
      )}
      {isStarting.value && <StartSession agents={names} onClose={closeStart} />}
    </div>
  );
}

const SESSION_STATUSES: readonly SessionStatus[] = ['running', 'waiting', 'failed', 'idle'];

interface ChoiceProps {
  readonly label: string;
  /** The name of the filter's value in the URL. */
  readonly name: string;
  readonly value: string;
  readonly all: string;
  readonly choices: readonly string[];
}

const Choice = ({ label, name, value, all, choices }: ChoiceProps) => (
  <select
    class="input"
    aria-label={label}
    value={value}
    onInput={(event) => setQuery({ [name]: event.currentTarget.value || undefined })}
  >
    <option value="">{all}</option>
    {choices.map((choice) => (
      <option key={choice}>{choice}</option>
    ))}
  </select>
);

interface SessionListProps extends SessionSelection {
  readonly search: string;
}

/** Milliseconds between two requests for the first page of the list while the page is visible. */
const REFRESH_MS = 10_000;

function SessionList({ search, ...selection }: SessionListProps) {
  const [looks, setLooks] = useState(0);
  const [more, setMore] = useState<SessionPages>();
  const action = useAction();
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') setLooks((count) => count + 1);
    }, REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  const first = useLoaded(async () => ({ pages: await requestIndex(() => loadPages(selection)) }), [looks]);
  const { value, failure } = first.value;
  const problem = failure ?? action.failure.value;
  if (problem && !value) return <Problem failure={problem} onRetry={() => setLooks(looks + 1)} />;
  if (!value) return <Loading what="the sessions" />;
  if (!value.pages)
    return selection.owner === undefined ? (
      <VisitedList search={search} />
    ) : (
      <Empty title="No list">
        This app has no index of sessions. Open a session by its id with “New session”.
      </Empty>
    );
  const pages = withFirst(value.pages, more);
  const known = listInOrder(pages);
  const shown = known.filter(({ title, session }) => hasMatchingTitle(search, title ?? session));
  const loadNext = (): void => void action.run(async () => setMore(await loadPages(selection, pages)));
  return (
    <>
      {shown.length === 0 && !hasMore(pages) && (
        <Empty title="No sessions">
          {search || selection.status ? 'No session fits these filters.' : 'Start one with “New session”.'}
        </Empty>
      )}
      <ul class="session-list" aria-label="Sessions">
        {shown.map((one) => (
          <li key={`${one.agent}/${one.session}`}>
            <SessionRow listed={one} />
          </li>
        ))}
      </ul>
      {problem && <Problem failure={problem} />}
      {hasMore(pages) && (
        <p class="list-end">
          <Button isDisabled={action.isBusy.value} onClick={loadNext}>
            Show more
          </Button>{' '}
          {search && (
            <span class="muted small">Searched the latest {formatCount(known.length, 'session')}.</span>
          )}
        </p>
      )}
    </>
  );
}

const hasMatchingTitle = (search: string, title: string): boolean =>
  title.toLowerCase().includes(search.trim().toLowerCase());

const STATUS_TONES = { running: 'accent', waiting: 'warn', failed: 'bad', idle: 'plain' } as const;

function SessionRow({ listed }: { readonly listed: ListedSession }) {
  const { agent, session, title, status, unread, turns, usage, lastActivity } = listed;
  return (
    <a class={unread ? 'session-row unread' : 'session-row'} href={toSessionHref(agent, session)}>
      <span class="row-dot">{unread && <span class="visually-hidden">Unread</span>}</span>
      <span class="row-title">
        <Line text={title ?? session} most={160} />
      </span>
      <span class="row-agent muted">
        <Line text={agent} most={40} />
      </span>
      <span class="row-status">
        <Badge tone={STATUS_TONES[status]}>{status}</Badge>
      </span>
      <span class="row-usage muted">
        {formatCount(turns, 'turn')} · {formatCompact(usage.inputTokens + usage.outputTokens)} tokens
        {usage.cost !== undefined && ` · ${formatDollars(usage.cost)}`}
      </span>
      <time
        class="row-ago muted"
        dateTime={new Date(lastActivity).toISOString()}
        title={formatDateTime(lastActivity)}
      >
        {formatAgo(lastActivity)}
      </time>
    </a>
  );
}

function VisitedList({ search }: { readonly search: string }) {
  const shown = visitedSessions.value.filter(({ session }) => hasMatchingTitle(search, session));
  return (
    <>
      <p class="muted small">
        This app has no index of sessions. These are the ones that this browser has opened.
      </p>
      {shown.length === 0 && <Empty title="No sessions">Open or start one with “New session”.</Empty>}
      <ul class="session-list" aria-label="Sessions">
        {shown.map(({ agent, session, at }) => (
          <li key={`${agent}/${session}`} class="visited-row">
            <a class="session-row" href={toSessionHref(agent, session)}>
              <span class="row-title">
                <Line text={session} />
              </span>
              <span class="row-agent muted">
                <Line text={agent} />
              </span>
              <span class="row-ago muted">{formatAgo(at)}</span>
            </a>
            <Button
              kind="quiet"
              label={`Remove ${session} from this list`}
              onClick={() => forget(agent, session)}
            >
              ✕
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}
