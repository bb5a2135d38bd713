/** Shows all calls that wait for the caller in any session. */
import { useEffect, useState } from 'preact/hooks';
import type { WaitingSession } from '../../../../worker/index-views.ts';
import { PendingCard } from '../approvals/pending-card.tsx';
import { useAction } from '../data/action.ts';
import { createAgentClient, index } from '../data/api.ts';
import { hasIndex, requestIndex } from '../data/index-use.ts';
import { useLoaded } from '../data/resource.ts';
import { visitedSessions } from '../data/visited.ts';
import { toHref } from '../shell/router.ts';
import { formatAgo } from '../ui/format.ts';
import { Button, Empty, Loading, Problem } from '../ui/parts.tsx';
import { Line } from '../ui/words.tsx';

type InboxSession = Pick<WaitingSession, 'agent' | 'session' | 'title' | 'lastActivity' | 'pending'>;

interface InboxPage {
  readonly waiting: readonly InboxSession[];
  readonly next: string | null;
}

/** Milliseconds between two requests for the inbox while the page is visible. */
const REFRESH_MS = 15_000;

export function InboxView() {
  const [looks, setLooks] = useState(0);
  const refresh = (): void => setLooks((count) => count + 1);
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && refresh(), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  const first = useLoaded(() => loadInbox(), [looks]);
  const { value, failure } = first.value;
  if (!value) return failure ? <Problem failure={failure} onRetry={refresh} /> : <Loading what="the inbox" />;
  return (
    <div class="page inbox">
      <header class="page-head">
        <h1>Inbox</h1>
        <Button kind="quiet" label="Refresh" onClick={refresh}>
          ↻
        </Button>
      </header>
      {hasIndex.value === false && (
        <p class="muted small">
          This app has no index of sessions. These are the calls of the sessions that this browser has opened.
        </p>
      )}
      {failure && <Problem failure={failure} onRetry={refresh} />}
      <Groups first={value} onAnswered={refresh} />
    </div>
  );
}

function Groups({ first, onAnswered }: { readonly first: InboxPage; readonly onAnswered: () => void }) {
  const action = useAction();
  const [later, setLater] = useState<InboxPage>();
  // Cards keep their order, so that a newer first page does not disturb an answer that is being written.
  const { next } = later ?? first;
  const shown = [...first.waiting, ...(later?.waiting ?? [])].filter(({ pending }) => pending.length > 0);
  const loadMore = (): Promise<boolean> =>
    action.run(async () => {
      const page = await index.pending({ cursor: next ?? undefined });
      setLater({ waiting: [...(later?.waiting ?? []), ...page.waiting], next: page.next });
    });
  const { value: failure } = action.failure;
  return (
    <>
      {shown.length === 0 && next === null && (
        <Empty title="Nothing waits for you">Calls that need your decision or a result appear here.</Empty>
      )}
      {shown.map((one) => (
        <section key={`${one.agent}/${one.session}`} class="inbox-session">
          <h2>
            <a href={toHref({ view: 'session', ...one, tab: 'chat', query: {}, owner: undefined })}>
              <Line text={one.title ?? one.session} />
            </a>
            <span class="muted small">
              <Line text={one.agent} /> · {formatAgo(one.lastActivity)}
            </span>
          </h2>
          {one.pending.map((pending) => (
            <PendingCard
              key={`${pending.call} ${pending.question}`}
              session={createAgentClient(one.agent).session(one.session)}
              pending={pending}
              onAnswered={onAnswered}
            />
          ))}
        </section>
      ))}
      {failure && <Problem failure={failure} />}
      {next !== null && <Button onClick={() => void loadMore()}>Show more</Button>}
    </>
  );
}

async function loadInbox(): Promise<InboxPage> {
  return (await requestIndex(() => index.pending())) ?? { waiting: await readVisitedInbox(), next: null };
}

/** The number of recently opened sessions to query if the app has no index. */
const MAX_VISITED_SESSIONS = 12;

async function readVisitedInbox(): Promise<readonly InboxSession[]> {
  const asked = visitedSessions
    .peek()
    .slice(0, MAX_VISITED_SESSIONS)
    .map(async ({ agent, session, at }): Promise<InboxSession[]> => {
      // A session that was erased or has not started has no waiting calls.
      const state = await createAgentClient(agent)
        .session(session)
        .state()
        .catch(() => undefined);
      return state ? [{ agent, session, title: null, lastActivity: at, pending: state.pending }] : [];
    });
  return (await Promise.all(asked)).flat();
}
