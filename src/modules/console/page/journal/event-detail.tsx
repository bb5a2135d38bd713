/**
 * Shows one event with related data: the input and the result of a call, or the text and the request of a
 * reply.
 */
import type { EventOf, StoredEvent } from '../../../../journal/events.ts';
import type { SessionStore } from '../data/session-store.ts';
import { toSessionHref } from '../shell/router.ts';
import {
  formatDateTime,
  formatDollars,
  formatDuration,
  formatNumber,
  formatTimeOfDay,
} from '../ui/format.ts';
import { JsonView } from '../ui/json.tsx';
import { Badge, Button, Facts, Fold } from '../ui/parts.tsx';
import { Line, Words } from '../ui/words.tsx';
import { findCall, getReplyText, getToolCalls } from './call-index.ts';
import { RequestPart } from './request-part.tsx';
import { ResultPart } from './result-part.tsx';

interface EventDetailProps {
  readonly store: SessionStore;
  readonly event: StoredEvent;
  readonly onClose: () => void;
}

export function EventDetail({ store, event, onClose }: EventDetailProps) {
  const { seq, at, type } = event;
  return (
    <div class="event" key={seq}>
      <header class="event-head">
        <h2>
          <span class="muted">{seq}</span> {type}
        </h2>
        <time class="muted" dateTime={new Date(at).toISOString()} title={formatDateTime(at)}>
          {formatTimeOfDay(at)}
        </time>
        <Button kind="quiet" label="Close the event" onClick={onClose}>
          ✕
        </Button>
      </header>
      <Body store={store} event={event} />
      <Fold title="Event as JSON">{() => <JsonView value={event} most={4_000} />}</Fold>
    </div>
  );
}

function Body({ store, event }: Omit<EventDetailProps, 'onClose'>) {
  switch (event.type) {
    case 'model-replied':
      return <Reply store={store} event={event} />;
    case 'tool-call-started':
    case 'tool-call-ended':
    case 'tool-call-suspended':
    case 'tool-call-answered':
      return <Call store={store} event={event} />;
    case 'turn-started':
    case 'turn-steered':
      return (
        <>
          <Facts
            rows={[
              ['Sent by', <Line key="by" text={event.principal.id} />],
              ['Tenant', event.principal.tenant && <Line key="tenant" text={event.principal.tenant} />],
            ]}
          />
          <Words text={event.message} />
        </>
      );
    case 'turn-ended':
      return (
        <>
          <Facts
            rows={[
              ['Outcome', event.outcome],
              ['Limit', event.limit && JSON.stringify(event.limit)],
            ]}
          />
          {event.error && <Words text={`${event.error.type}: ${event.error.message}`} />}
        </>
      );
    case 'tools-changed':
      return (
        <Facts
          rows={[
            ['Cause', event.cause],
            ['Came', <Names key="came" names={event.came} />],
            ['Went', <Names key="went" names={event.went} />],
          ]}
        />
      );
    default:
      return null;
  }
}

const Names = ({ names }: { readonly names: readonly { readonly name: string }[] | undefined }) => (
  <span class="names">
    {(names ?? []).map(({ name }) => (
      <code key={name}>
        <Line text={name} />
      </code>
    ))}
  </span>
);

interface EventViewProps<Type extends StoredEvent['type']> {
  readonly store: SessionStore;
  readonly event: EventOf<Type> & Pick<StoredEvent, 'seq' | 'at'>;
}

function Reply({ store, event }: EventViewProps<'model-replied'>) {
  const { usage, parts = [], planned } = event;
  const reasoning = parts.flatMap((part) => (part.type === 'reasoning' ? part.text : [])).join('\n');
  const text = getReplyText(event);
  return (
    <>
      <Facts
        rows={[
          ['Model', <Line key="model" text={event.model} />],
          ['Finish', event.finish],
          ['Input', usage && `${formatNumber(usage.inputTokens)} tokens`],
          ['Cached', usage?.cachedInputTokens && `${formatNumber(usage.cachedInputTokens)} tokens`],
          ['Output', usage && `${formatNumber(usage.outputTokens)} tokens`],
          ['Cost', usage?.cost !== undefined && formatDollars(usage.cost)],
          ['Took over from', event.tookOver && <Line key="from" text={event.tookOver.from} />],
        ]}
      />
      {reasoning && <Fold title="Reasoning">{() => <Words text={reasoning} />}</Fold>}
      {text && (
        <>
          <h3>Text</h3>
          <Words text={text} />
        </>
      )}
      {getToolCalls(event).map(({ id, name, input }) => (
        <div key={id} class="call-part">
          <h3>
            Calls <Line text={name} />
          </h3>
          <JsonView value={input} />
        </div>
      ))}
      {!planned && <RequestPart store={store} reply={event.seq} />}
      <p>
        <a href={toSessionHref(store.agent, store.id, { tab: 'tools', query: { reply: String(event.seq) } })}>
          Tools of this reply
        </a>
      </p>
    </>
  );
}

type CallEventType = 'tool-call-started' | 'tool-call-ended' | 'tool-call-suspended' | 'tool-call-answered';

function Call({ store, event }: EventViewProps<CallEventType>) {
  const known = findCall(store.events, event.call);
  if (!known) return <p class="muted">The reply with this call is not in the journal.</p>;
  const { call, starts, ended } = known;
  const effect = starts.at(-1)?.effect;
  const ms = ended?.ms;
  return (
    <>
      <Facts
        rows={[
          ['Tool', <Line key="tool" text={call.name} />],
          ['Stands for', call.meant && <Line key="meant" text={call.meant} />],
          ['Effect', effect && <Badge key="effect">{effect}</Badge>],
          ['Started', starts.length > 1 && `${starts.length} times`],
          ['Ran for', ms !== undefined && formatDuration(ms)],
          ['Waits for', event.type === 'tool-call-suspended' && event.wait.for],
          ['Answer', event.type === 'tool-call-answered' && getAnswerWord(event)],
        ]}
      />
      <h3>Input</h3>
      <JsonView value={call.input} />
      <h3>Result</h3>
      {ended ? <ResultPart result={ended.result} /> : <p class="muted">The call has not ended.</p>}
    </>
  );
}

const getAnswerWord = ({ answer }: EventOf<'tool-call-answered'>): string =>
  answer.type === 'decision' ? answer.decision : answer.type;
