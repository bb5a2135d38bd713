/** What was done in the part of a journal that a fork leaves out. */
import type { StoredEvent } from '../../journal/events.ts';
import { shorten } from '../../tool/json.ts';
import { type ResultData, shownText } from '../../tool/tool-result.ts';

/** A call of the part cut off that may have had an effect. */
export interface CutOffCall {
  readonly call: string;
  readonly tool: string;
  /** As the model wrote it. */
  readonly input: string;
  /** `undefined`: its outcome is unknown. */
  readonly result: ResultData | undefined;
}

/** A call that the fork does not show to its end. */
interface ReadCall extends CutOffCall {
  /** It was started, and running it again could be noticed. */
  isEffect: boolean;
  result: ResultData | undefined;
}

/** Begins the ids of messages that tell a fork what was cut off. No turn has such an id. */
export const TOLD = 'fork-';

/** Reads a journal from its first event on, and finds the calls that had an effect, as far as a fork at one of its events would not show it. */
export class CutOff {
  readonly #at: number;
  readonly #calls = new Map<string, ReadCall>();
  /** What the session's own model was shown of parts that were cut off before, if the fork does not show that. */
  readonly #told: string[] = [];

  /** `at`: the last event that the fork has. */
  constructor(at: number) {
    this.#at = at;
  }

  /** Reads the next event. */
  read(event: StoredEvent): void {
    const calls = this.#calls;
    const isShown = event.seq <= this.#at;
    switch (event.type) {
      case 'model-replied':
        for (const { id, name, input } of event.toolCalls)
          calls.set(id, { call: id, tool: name, input, result: undefined, isEffect: false });
        break;
      case 'tool-call-started': {
        const call = calls.get(event.call);
        if (call) call.isEffect = event.effect === 'once' || event.effect === 'idempotent';
        break;
      }
      case 'tool-call-ended':
      case 'late-result-received': {
        const call = calls.get(event.call);
        if (call) call.result = event.result;
        if (isShown && event.type === 'tool-call-ended') calls.delete(event.call);
        break;
      }
      case 'turn-steered':
        if (!isShown && event.as.startsWith(TOLD)) this.#told.push(event.message);
        break;
      case 'turn-ended':
        // An end that could not read its turn leaves calls without ends of their own.
        for (const [id, { isEffect }] of calls) if (isShown || !isEffect) calls.delete(id);
    }
  }

  /** The calls that started behind the cut, or that had not ended there, in the order of their replies. */
  get calls(): readonly CutOffCall[] {
    return [...this.#calls.values()].filter(({ isEffect }) => isEffect);
  }

  /** What the model of the fork is shown of these calls, and of those that a source of the session has made; empty if there are none. */
  get told(): string {
    const { calls } = this;
    return [...this.#told, ...(calls.length > 0 ? [toldOf(calls)] : [])].join('\n\n');
  }
}

/** The most characters that a model is shown of an input or a result of the part cut off. */
const MOST = 2_000;

/** What the model of a fork is shown of the calls that were made in the part cut off. */
const toldOf = (calls: readonly CutOffCall[]): string =>
  `A later part of this conversation was cut off. These calls were made in it, and their effects remain:\n${calls
    .map(lineOf)
    .join('\n')}\nDo not repeat them unless the user asks for it.`;

const lineOf = ({ tool, input, result }: CutOffCall): string =>
  `- '${tool}' with the input ${shorten(input, MOST)}: ${
    result ? shownText(result, MOST) : 'its outcome is unknown.'
  }`;
