/** Shows a session as a chat: its messages, waiting calls and messages, and an input. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { SessionView } from '../../../../worker/session-view.ts';
import { PendingCard } from '../approvals/pending-card.tsx';
import { useAction } from '../data/action.ts';
import { index } from '../data/api.ts';
import { requestIndex } from '../data/index-use.ts';
import { useLoaded } from '../data/resource.ts';
import type { SessionStore, SessionViewProps } from '../data/session-store.ts';
import { goTo } from '../shell/router.ts';
import { formatCount } from '../ui/format.ts';
import { Button, Empty, Problem } from '../ui/parts.tsx';
import { Line, Words } from '../ui/words.tsx';
import { Composer, keepDraft } from './composer.tsx';
import { toConversation } from './conversation.ts';
import { type EntryActions, EntryView, Reasoning } from './entry-view.tsx';

/** The number of entries that are shown at first, and that each click adds. */
const PAGE_SIZE = 80;

export function ChatView({ store }: SessionViewProps) {
  const { value: length } = store.length;
  const [most, setMost] = useState(PAGE_SIZE);
  const [sent, setSent] = useState(0);
  const { entries, openTurn, isWaiting } = useMemo(() => toConversation(store.events), [length]);
  const { actions, action, repeat } = useActions(store);
  useScrolledEnd(store, length);
  useMarkedRead(store, length);
  const hidden = Math.max(0, entries.length - most);
  const { value: failure } = action.failure;
  return (
    <div class="chat">
      <div class="messages" role="log" aria-label="Messages" aria-live="off">
        {entries.length === 0 && <Empty title="No messages yet">The first message starts the session.</Empty>}
        {hidden > 0 && (
          <p class="note">
            <Button onClick={() => setMost(most + PAGE_SIZE)}>Show earlier messages ({hidden})</Button>
          </p>
        )}
        {entries.slice(hidden).map((entry, at, shown) => (
          <EntryView
            key={entry.seq}
            store={store}
            entry={entry}
            isLast={at === shown.length - 1}
            actions={store.owner === undefined ? actions : undefined}
          />
        ))}
        <LiveReply store={store} isRunning={openTurn !== undefined && !isWaiting} />
        <Waiting
          store={store}
          sent={sent}
          turn={`${openTurn} ${isWaiting}`}
          onChange={() => setSent(sent + 1)}
        />
      </div>
      <div class="chat-end">
        {failure && <Problem failure={failure} />}
        {repeat && (
          <Button onClick={repeat}>Branch anyway, although its model may repeat these effects</Button>
        )}
        {store.owner === undefined ? (
          <Composer
            store={store}
            openTurn={openTurn}
            isWaiting={isWaiting}
            onSent={() => setSent(sent + 1)}
          />
        ) : (
          <WatchedChat store={store} openTurn={openTurn} />
        )}
      </div>
    </div>
  );
}

/** Replaces the input in other owners' sessions, because only the owner can send messages. */
function WatchedChat({ store, openTurn }: SessionViewProps & { readonly openTurn: string | undefined }) {
  const action = useAction();
  const { value: failure } = action.failure;
  const cancelTurn = (): void => void action.run(() => store.client.cancel(openTurn));
  return (
    <div class="watched">
      {failure && <Problem failure={failure} />}
      <p class="muted small">
        A session of <Line text={store.owner ?? ''} />. Its journal records that you look at it.
      </p>
      {openTurn !== undefined && (
        <Button kind="danger" isDisabled={action.isBusy.value} onClick={cancelTurn}>
          Stop
        </Button>
      )}
    </div>
  );
}

/**
 * Returns the actions for retries and branches. `repeat` creates a branch that was first refused because it
 * leaves out calls with effects.
 */
function useActions(store: SessionStore) {
  const action = useAction();
  const [refused, setRefused] = useState<{ readonly at: number; readonly message: string }>();
  const createBranch = async (at: number, message = '', repeatEffects = false): Promise<void> => {
    setRefused(undefined);
    const isMade = await action.run(async () => {
      const fork = await store.client.fork({ at, ...(repeatEffects && { repeatEffects }) });
      keepDraft({ agent: store.agent, id: fork.id }, message);
      goTo({ view: 'session', agent: store.agent, session: fork.id, tab: 'chat', query: {} });
    });
    if (!isMade && action.failure.peek()?.type === 'would-repeat-effects') setRefused({ at, message });
  };
  const actions: EntryActions = {
    branch: (at, message) => void createBranch(at, message),
    retry: () => void action.run(() => store.client.retry({ background: true })),
  };
  const repeat = refused && (() => void createBranch(refused.at, refused.message, true));
  return { actions, action, repeat };
}

interface LiveReplyProps extends SessionViewProps {
  readonly isRunning: boolean;
}

/** Shows the reply that the model is writing. */
function LiveReply({ store, isRunning }: LiveReplyProps) {
  const piece = store.live.value.get('');
  if (!piece)
    return isRunning ? (
      <p class="working muted small" role="status">
        <span class="dot" /> Working…
      </p>
    ) : null;
  return (
    <article class="message reply is-live" aria-label="Reply" aria-busy="true">
      {piece.reasoning && <Reasoning text={piece.reasoning} />}
      {piece.text && <Words text={piece.text} />}
    </article>
  );
}

interface WaitingProps extends SessionViewProps {
  /** Changes after each message or answer. */
  readonly sent: number;
  /** Changes when a turn starts, waits or ends. */
  readonly turn: string;
  readonly onChange: () => void;
}

/** Shows the calls that wait for a person, and the messages that wait for their turn. */
function Waiting({ store, sent, turn, onChange }: WaitingProps) {
  const isEmpty = store.length.value === 0;
  const suspended = store.events.findLast(({ type }) => WAITING_EVENT_TYPES.has(type))?.seq;
  const loaded = useLoaded<SessionView | undefined>(
    async (signal) => (isEmpty ? undefined : store.client.state({ signal })),
    [sent, turn, suspended, isEmpty],
  );
  const { value, failure } = loaded.value;
  if (failure) return <Problem failure={failure} />;
  return (
    <>
      {value?.pending.map((pending) => (
        <PendingCard
          key={`${pending.call} ${pending.question}`}
          session={store.client}
          pending={pending}
          onAnswered={onChange}
        />
      ))}
      {value && value.waiting.length > 0 && <Queue store={store} view={value} onChange={onChange} />}
    </>
  );
}

/** The events that can change which calls or messages wait. */
const WAITING_EVENT_TYPES: ReadonlySet<string> = new Set([
  'turn-started',
  'turn-steered',
  'turn-ended',
  'tool-call-suspended',
  'tool-call-answered',
]);

interface QueueProps extends SessionViewProps {
  readonly view: SessionView;
  readonly onChange: () => void;
}

function Queue({ store, view, onChange }: QueueProps) {
  const action = useAction();
  // The server ends a cancelled message when its turn comes.
  const [cancelled, setCancelled] = useState<readonly string[]>([]);
  const cancel = async (turn: string): Promise<void> => {
    if (await action.run(() => store.client.cancel(turn))) setCancelled([...cancelled, turn]);
    onChange();
  };
  const { value: failure } = action.failure;
  return (
    <section class="queue" aria-label="Messages that wait">
      <p class="muted small">{formatCount(view.waiting.length, 'message')} waiting</p>
      {view.waiting.map(({ turn, status }) => (
        <p key={turn} class="queue-item small">
          {cancelled.includes(turn) ? (
            'cancelled, and ends without a reply'
          ) : (
            <>
              {status}
              <button type="button" class="link" onClick={() => void cancel(turn)}>
                Cancel
              </button>
            </>
          )}
        </p>
      ))}
      {failure && <Problem failure={failure} />}
    </section>
  );
}

/** The distance from the end, in pixels, within which the chat scrolls with new messages. */
const END_DISTANCE_PX = 120;

function useScrolledEnd(store: SessionStore, length: number): void {
  const isAtEnd = useRef(true);
  useEffect(() => {
    const onScroll = (): void => {
      isAtEnd.current = innerHeight + scrollY >= document.documentElement.scrollHeight - END_DISTANCE_PX;
    };
    addEventListener('scroll', onScroll, { passive: true });
    return () => removeEventListener('scroll', onScroll);
  }, []);
  useLayoutEffect(() => {
    if (isAtEnd.current) scrollTo(0, document.documentElement.scrollHeight);
  }, [length, store.live.value]);
}

/** Milliseconds without a new event after which the page marks the session as read. */
const READ_DELAY_MS = 800;

function useMarkedRead({ agent, id: session, owner, events }: SessionStore, length: number): void {
  useEffect(() => {
    const seq = events.at(-1)?.seq;
    if (seq === undefined || owner !== undefined) return;
    const timer = setTimeout(() => {
      // A failure only leaves the session unread in lists, so the page does not report it.
      requestIndex(() => index.markRead({ agent, session, seq })).catch(() => undefined);
    }, READ_DELAY_MS);
    return () => clearTimeout(timer);
  }, [length]);
}
