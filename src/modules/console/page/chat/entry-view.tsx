import type { EventOf } from '../../../../journal/events.ts';
import type { SessionStore } from '../data/session-store.ts';
import { formatDateTime, formatNumber, formatTimeOfDay } from '../ui/format.ts';
import { JsonView } from '../ui/json.tsx';
import { Badge, Button } from '../ui/parts.tsx';
import { Line, Words } from '../ui/words.tsx';
import { CallCard } from './call-card.tsx';
import type { ConversationEntry, ShownPart } from './conversation.ts';
import { FilePart, Outside } from './file-part.tsx';

export interface EntryActions {
  /** Creates a branch with the events up to `at`, and opens it with this message in its input. */
  branch(at: number, message?: string): void;
  retry(): void;
}

interface EntryProps {
  readonly store: SessionStore;
  readonly entry: ConversationEntry;
  readonly isLast: boolean;
  /** Absent for sessions of another owner. */
  readonly actions: EntryActions | undefined;
}

export function EntryView({ store, entry, isLast, actions }: EntryProps) {
  switch (entry.kind) {
    case 'user':
      return <UserMessage store={store} entry={entry} actions={actions} />;
    case 'reply':
      return (
        <article class="message reply" aria-label="Reply">
          {entry.parts.map((part, at) => (
            <Part key={at} store={store} part={part} />
          ))}
          {entry.isCutOff && <Badge tone="warn">cut off</Badge>}
        </article>
      );
    case 'said':
      return (
        <article class="message reply" aria-label={`Message of ${entry.tool}`}>
          <p class="muted small">
            <Line text={entry.tool} /> says
          </p>
          <Words text={entry.text} />
        </article>
      );
    case 'note':
      return (
        <p class="note muted small">
          <Line text={entry.text} most={400} />
        </p>
      );
    case 'end':
      return <TurnEnd entry={entry} isLast={isLast} actions={actions} />;
  }
}

type EntryPropsOf<Kind extends ConversationEntry['kind']> = Omit<EntryProps, 'entry' | 'isLast'> & {
  readonly entry: Extract<ConversationEntry, { readonly kind: Kind }>;
};

function UserMessage({ store, entry, actions }: EntryPropsOf<'user'>) {
  const { parts, by, at, isSteered, seq } = entry;
  const text = parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n\n');
  return (
    <article class="message user" aria-label={isSteered ? 'Steered message' : 'Sent message'}>
      <div class="bubble">
        {parts.map((part, place) =>
          part.type === 'file' ? (
            <FilePart key={place} store={store} file={part} />
          ) : (
            <Words key={place} text={part.text} />
          ),
        )}
      </div>
      <footer class="message-foot muted small">
        {isSteered && <Badge tone="accent">steered</Badge>}
        <Line text={by} most={40} />
        <time dateTime={new Date(at).toISOString()} title={formatDateTime(at)}>
          {formatTimeOfDay(at)}
        </time>
        {actions && !isSteered && seq > 1 && (
          <button
            type="button"
            class="link"
            title="Branch before this message, to send another one"
            onClick={() => actions.branch(seq - 1, text)}
          >
            Edit in a branch
          </button>
        )}
      </footer>
    </article>
  );
}

function Part({ store, part }: { readonly store: SessionStore; readonly part: ShownPart }) {
  switch (part.type) {
    case 'text':
      return <Words text={part.text} />;
    case 'reasoning':
      return part.text === '' ? null : <Reasoning text={part.text} />;
    case 'call':
      return <CallCard store={store} call={part.call} />;
    case 'file':
      return <FilePart store={store} file={part} />;
    case 'source':
      return <Source part={part} />;
    case 'tool-call':
      return (
        <Fold title={`The provider ran ${part.name}`}>
          <JsonView value={part.input} most={1_500} />
        </Fold>
      );
    case 'tool-result':
      return (
        <Fold title={`${part.isError ? 'Error' : 'Result'} of ${part.name}`}>
          <JsonView value={part.result} most={1_500} />
        </Fold>
      );
    case 'custom':
      return null;
  }
}

export const Reasoning = ({ text }: { readonly text: string }) => (
  <Fold title="Reasoning">
    <Words text={text} />
  </Fold>
);

const Fold = ({
  title,
  children,
}: {
  readonly title: string;
  readonly children: preact.ComponentChildren;
}) => (
  <details class="fold">
    <summary>
      <Line text={title} most={80} />
    </summary>
    {children}
  </details>
);

function Source({ part }: { readonly part: Extract<ShownPart, { readonly type: 'source' }> }) {
  const { url, title, filename, id } = part;
  const text = title ?? filename ?? url ?? id;
  return (
    <p class="source small">
      <span class="muted">Source</span>{' '}
      {url !== undefined && /^https?:/.test(url) ? <Outside url={url} text={text} /> : <Line text={text} />}
    </p>
  );
}

interface TurnEndProps extends Pick<EntryProps, 'isLast' | 'actions'> {
  readonly entry: Extract<ConversationEntry, { readonly kind: 'end' }>;
}

function TurnEnd({ entry: { event, seq }, isLast, actions }: TurnEndProps) {
  const { outcome, error } = event;
  const isAnswered = outcome === 'completed' || outcome === 'returned-direct';
  return (
    <footer class={isAnswered ? 'turn-foot' : 'turn-foot unanswered'}>
      {!isAnswered && <Badge tone={outcome === 'failed' ? 'bad' : 'warn'}>{outcome}</Badge>}
      {!isAnswered && (
        <span class="turn-why">
          <Line text={error ? error.message : describeEnd(event)} most={600} />
        </span>
      )}
      {actions && !isAnswered && isLast && <Button onClick={actions.retry}>Retry</Button>}
      {actions && (
        <button type="button" class="link small" onClick={() => actions.branch(seq)}>
          Branch from here
        </button>
      )}
    </footer>
  );
}

function describeEnd({ outcome, limit, signal }: EventOf<'turn-ended'>): string {
  if (signal) return signal.reason;
  if (limit) return `The limit of ${formatNumber(limit.most)} ${LIMIT_LABELS[limit.kind]} was reached.`;
  return outcome === 'cancelled' ? 'The turn was stopped.' : '';
}

const LIMIT_LABELS: Readonly<Record<NonNullable<EventOf<'turn-ended'>['limit']>['kind'], string>> = {
  tokens: 'tokens',
  cost: 'USD',
  iterations: 'model calls',
  toolCalls: 'tool calls',
  callsPerTool: 'calls of one tool',
};
