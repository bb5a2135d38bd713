/** Shows the folded state at any event, which a slider selects. */
import { useEffect, useState } from 'preact/hooks';
import type { StoredEvent } from '../../../../journal/events.ts';
import type { JsonObject } from '../../../../tool/json.ts';
import type { StateView as FoldedState } from '../../state-view.ts';
import { ask, toConsolePath } from '../data/api.ts';
import { useLoaded } from '../data/resource.ts';
import type { SessionViewProps } from '../data/session-store.ts';
import { summarizeEvent } from '../journal/event-summary.ts';
import { CONSOLE_REQUIRED_NOTE } from '../journal/request-part.tsx';
import { place, setQuery } from '../shell/router.ts';
import { formatNumber, formatTimeOfDay } from '../ui/format.ts';
import { JsonView } from '../ui/json.tsx';
import { Badge, Button, Empty, Loading, Problem, Section } from '../ui/parts.tsx';
import { Line } from '../ui/words.tsx';
import { Blackboard } from './blackboard.tsx';

export function StateView({ store }: SessionViewProps) {
  const { value: length } = store.length;
  const last = store.events.findLast((one) => !isAccess(one))?.seq ?? 0;
  const at = Number(place.value.query.at) || last;
  if (length === 0) return <Empty title="No state yet">The session has not started.</Empty>;
  const index = Math.max(
    0,
    store.events.findLastIndex(({ seq }) => seq <= at),
  );
  const event = store.events[index];
  const pick = (to: number): void => {
    const next = store.events[Math.min(Math.max(to, 0), length - 1)];
    if (next) setQuery({ at: next.seq === last ? undefined : String(next.seq) });
  };
  return (
    <div class="state-view">
      <div class="panel slider">
        <Button kind="quiet" label="One event back" isDisabled={index === 0} onClick={() => pick(index - 1)}>
          ‹
        </Button>
        <input
          type="range"
          aria-label="Event"
          aria-valuetext={event && `Event ${event.seq}: ${event.type}`}
          min={0}
          max={length - 1}
          value={index}
          onInput={(input) => pick(Number(input.currentTarget.value))}
        />
        <Button
          kind="quiet"
          label="One event on"
          isDisabled={index === length - 1}
          onClick={() => pick(index + 1)}
        >
          ›
        </Button>
        {event && (
          <p class="slider-event">
            <strong>
              {formatNumber(event.seq)} of {formatNumber(last)}
            </strong>
            <code>{event.type}</code>
            <span class="muted">{formatTimeOfDay(event.at)}</span>
            <span class="muted slider-summary">
              <Line text={summarizeEvent(event)} most={140} />
            </span>
          </p>
        )}
      </div>
      {event && <Folded store={store} seq={event.seq} before={store.events[index - 1]?.seq} />}
    </div>
  );
}

/**
 * Returns whether an event records that an operator viewed the session. The view does not advance to such an
 * event, since loading the state of another owner's session adds one.
 */
const isAccess = (event: StoredEvent): boolean =>
  event.type === 'module-event' && event.module === 'operators';

interface FoldedStateProps extends SessionViewProps {
  readonly seq: number;
  readonly before: number | undefined;
}

/** Milliseconds after the slider's last move until the state loads. */
const FOLD_DELAY_MS = 120;

function Folded({ store, seq, before }: FoldedStateProps) {
  const rested = useRested(seq);
  const loaded = useLoaded(
    async (signal) => {
      const load = (at: number) => ask<FoldedState>(toConsolePath(store, 'state', { at }), { signal });
      const [now, then] = await Promise.all([
        load(rested),
        before === undefined ? undefined : load(rested - 1),
      ]);
      return { now, then };
    },
    [rested],
  );
  const { value, failure } = loaded.value;
  if (failure) return <Problem failure={failure} missing={CONSOLE_REQUIRED_NOTE} />;
  if (!value) return <Loading what="the state" />;
  const { state } = value.now;
  const changed = findChangedKeys(value.then?.state, state);
  const { blackboard, memory, ...others } = state;
  const parts = Object.entries(others).filter(isFilled);
  const memories = Object.entries(Object(memory)).filter(isFilled);
  return (
    <div class={rested === seq ? 'folded' : 'folded is-stale'} aria-busy={rested !== seq}>
      <Blackboard entries={blackboard} isChanged={changed.has('blackboard')} />
      {memories.map(([name, data]) => (
        <Part
          key={`memory ${name}`}
          title={`Memory: ${name}`}
          data={data}
          isChanged={changed.has(`memory.${name}`)}
        />
      ))}
      {parts.map(([name, data]) => (
        <Part key={name} title={PART_TITLES[name] ?? name} data={data} isChanged={changed.has(name)} />
      ))}
    </div>
  );
}

/** Returns whether a value is not an empty list or object. */
const isFilled = ([, data]: readonly [string, unknown]): boolean =>
  typeof data !== 'object' || data === null || Object.keys(data).length > 0;

const PART_TITLES: Readonly<Record<string, string>> = {
  turn: 'Turn',
  messages: 'Messages',
  callState: 'State of tools',
  usage: 'Usage',
};

interface StatePartProps {
  readonly title: string;
  readonly data: unknown;
  readonly isChanged: boolean;
}

const Part = ({ title, data, isChanged }: StatePartProps) => (
  <Section title={title} aside={isChanged && <Badge tone="accent">changed by this event</Badge>}>
    <div class={isChanged ? 'panel code-panel changed' : 'panel code-panel'}>
      <JsonView value={data} most={2_500} />
    </div>
  </Section>
);

function useRested(seq: number): number {
  const [rested, setRested] = useState(seq);
  useEffect(() => {
    const timer = setTimeout(() => setRested(seq), FOLD_DELAY_MS);
    return () => clearTimeout(timer);
  }, [seq]);
  return rested;
}

/** Returns the parts of a state that differ from the state at the previous event. Compares each memory separately. */
function findChangedKeys(before: JsonObject | undefined, now: JsonObject): ReadonlySet<string> {
  const was = flattenState(before ?? {});
  return new Set([...flattenState(now)].filter(([key, text]) => was.get(key) !== text).map(([key]) => key));
}

const flattenState = ({ memory, ...others }: JsonObject): ReadonlyMap<string, string> =>
  new Map([
    ...Object.entries(others).map(([key, value]): [string, string] => [key, JSON.stringify(value)]),
    ...Object.entries(Object(memory)).map(([key, value]): [string, string] => [
      `memory.${key}`,
      JSON.stringify(value),
    ]),
  ]);
