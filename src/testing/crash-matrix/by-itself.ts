import { callNames } from './call-names.ts';
import type { SeenRun } from './effects.ts';
import type { PlayResult } from './play-script.ts';

/**
 * What a play should have come to by its own journal, for a script that goes another way each time: every call that is said
 * to have succeeded ran once, and no other more often.
 */
export function expectedOfItself(seen: PlayResult): PlayResult {
  const names = callNames(seen.events);
  const known = seen.runs.filter(({ call }) => names.has(call));
  const calls = new Set([...known.map(({ call }) => call), ...succeededIn(seen)]);
  const runs = [...calls].map((call): SeenRun => {
    const own = known.filter((run) => run.call === call);
    const nobody = { tool: 'nobody', care: 'once', call, key: '', isDone: true } as const;
    return own.find(({ isDone }) => isDone) ?? own[0] ?? nobody;
  });
  return { ...seen, runs };
}

/** Calls whose effects were started, and that succeeded. */
function succeededIn({ events }: PlayResult): readonly string[] {
  const started = new Set(
    events.flatMap(({ event }) => (event.type === 'tool-call-started' ? event.call : [])),
  );
  return events.flatMap(({ event }) =>
    event.type === 'tool-call-ended' && event.result.type !== 'error' && started.has(event.call)
      ? event.call
      : [],
  );
}
