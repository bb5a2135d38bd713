import { inMermaid } from '../tools/to-mermaid.ts';
import type { Registration } from './read-states.ts';

/** What is drawn of a machine. */
export interface DrawnMachine {
  readonly states: readonly string[];
  readonly initial: string;
  readonly registrations: readonly Registration[];
}

/**
 * A Mermaid state diagram: an arrow for each move, with the tools that make it; one from a state to itself for those that
 * stay; and a note on the initial state with the tools of every state. States have ids of their own, and their names as
 * labels, since a name may be anything.
 */
export function stateDiagram({ states, initial, registrations }: DrawnMachine): string {
  const ids = new Map(states.map((state, index) => [state, `s${index}`]));
  const id = (state: string): string => ids.get(state) ?? '';
  const moves = states.flatMap((from) =>
    [...toolsByTarget(from, registrations)].map(
      ([to, tools]) => `    ${id(from)} --> ${id(to)} : ${tools.join(', ')}`,
    ),
  );
  const everywhere = registrations.flatMap(({ tool, rule }) => (rule.states === 'all' ? tool.name : []));
  return [
    'stateDiagram-v2',
    ...states.map((state) => `    state ${inMermaid(state)} as ${id(state)}`),
    `    [*] --> ${id(initial)}`,
    ...moves,
    ...(everywhere.length > 0
      ? [
          `    note right of ${id(initial)}`,
          `        In every state: ${everywhere.join(', ')}`,
          '    end note',
        ]
      : []),
  ].join('\n');
}

/** The names of the tools that are listed in a state, by where they lead from there. */
function toolsByTarget(
  state: string,
  registrations: readonly Registration[],
): ReadonlyMap<string, readonly string[]> {
  const byTarget = new Map<string, string[]>();
  for (const { tool, rule } of registrations) {
    const to =
      rule.to.get(state) ?? (rule.states !== 'all' && rule.states.includes(state) ? state : undefined);
    if (to !== undefined) byTarget.set(to, [...(byTarget.get(to) ?? []), tool.name]);
  }
  return byTarget;
}
