/** Shows the tools at each model call: which are offered, locked or hidden, and why they changed. */
import { useMemo } from 'preact/hooks';
import type { StoredEvent } from '../../../../journal/events.ts';
import type { OfferView } from '../../offer-view.ts';
import { ask, toConsolePath } from '../data/api.ts';
import { useLoaded } from '../data/resource.ts';
import type { SessionViewProps } from '../data/session-store.ts';
import { CONSOLE_REQUIRED_NOTE, DiffersNote } from '../journal/request-part.tsx';
import { place, setQuery } from '../shell/router.ts';
import { listTurns, TurnPicker } from '../turn/turn-picker.tsx';
import { formatNumber } from '../ui/format.ts';
import { Badge, Empty, Loading, Meter, Problem, Section } from '../ui/parts.tsx';
import { Line } from '../ui/words.tsx';
import { DiagramPanel } from './diagram.tsx';
import { OfferedTools } from './offered-tools.tsx';
import { listReplies, ReplyPicker } from './reply-picker.tsx';

export function ToolsView({ store }: SessionViewProps) {
  const { value: length } = store.length;
  const { query } = place.value;
  const turns = useMemo(() => listTurns(store.events), [length]);
  const asked = store.events.find(({ seq }) => seq === Number(query.reply));
  const ofReply = asked && 'turn' in asked ? asked.turn : undefined;
  const turn = turns.find((one) => one.turn === (ofReply ?? query.turn)) ?? turns.at(-1);
  const replies = useMemo(() => (turn ? listReplies(store.events, turn.turn) : []), [turn?.turn, length]);
  if (!turn) return <Empty title="No turn yet">A model is offered tools once a turn starts.</Empty>;
  const chosen = replies.find(({ seq }) => seq === Number(query.reply)) ?? replies.at(-1);
  return (
    <div class="tools-view">
      <header class="turn-head">
        <TurnPicker turns={turns} chosen={turn.turn} />
      </header>
      {chosen ? (
        <>
          <ReplyPicker
            replies={replies}
            chosen={chosen.seq}
            onPick={(seq) => setQuery({ reply: String(seq) })}
          />
          <Offer store={store} reply={chosen.seq} />
        </>
      ) : (
        <Empty title="No reply yet">The model of this turn has not replied.</Empty>
      )}
    </div>
  );
}

function Offer({ store, reply }: SessionViewProps & { readonly reply: number }) {
  const loaded = useLoaded(
    (signal) => ask<OfferView>(toConsolePath(store, 'offer', { reply }), { signal }),
    [reply],
  );
  const change = useMemo(() => findChangeBefore(store.events, reply), [reply]);
  const { value, failure } = loaded.value;
  if (failure) return <Problem failure={failure} missing={CONSOLE_REQUIRED_NOTE} />;
  if (!value) return <Loading what="the tools" />;
  return (
    <div class="offer">
      <div class="offer-main">
        <Section
          title={`${formatNumber(value.offered.length)} tools offered`}
          aside={<DiffersNote differs={value.differs} />}
        >
          {change && <Change change={change} />}
          <OfferedTools offer={value} />
        </Section>
        {value.unknown.map((text) => (
          <p class="muted small" key={text}>
            {text}
          </p>
        ))}
      </div>
      <div class="offer-aside">
        {value.diagrams.map((diagram) => (
          <DiagramPanel key={`${diagram.tool} ${diagram.key}`} diagram={diagram} />
        ))}
        <Section title="Limits">
          <div class="panel meters">
            {value.limits.map(({ name, used, most }) => (
              <Meter key={name} label={name} used={used} most={most} format={formatNumber} />
            ))}
          </div>
        </Section>
      </div>
    </div>
  );
}

type ToolsChangedEvent = Extract<StoredEvent, { readonly type: 'tools-changed' }>;

/** Returns the change of tools since the previous reply in the same loop. */
function findChangeBefore(events: readonly StoredEvent[], reply: number): ToolsChangedEvent | undefined {
  const at = events.findIndex(({ seq }) => seq === reply);
  const own = events[at];
  if (own?.type !== 'model-replied') return undefined;
  for (const event of events.slice(0, at).toReversed()) {
    if (!('turn' in event) || event.turn !== own.turn) continue;
    const isHere = 'frame' in event ? event.frame === own.frame : own.frame === undefined;
    if (isHere && event.type === 'model-replied') return undefined;
    if (isHere && event.type === 'tools-changed') return event;
  }
  return undefined;
}

const CAUSE_LABELS = {
  session: 'the state of the session changed, such as by calls that opened tools',
  turn: 'a new turn began',
  deploy: 'this code offers other tools than the code that asked last',
} as const;

function Change({ change: { came = [], went = [], cause } }: { readonly change: ToolsChangedEvent }) {
  return (
    <p class="change small">
      <span class="muted">Changed because {CAUSE_LABELS[cause]}:</span>
      {came.map(({ name }) => (
        <Badge key={`+${name}`} tone="good">
          + <Line text={name} />
        </Badge>
      ))}
      {went.map(({ name }) => (
        <Badge key={`-${name}`} tone="bad">
          − <Line text={name} />
        </Badge>
      ))}
    </p>
  );
}
