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

/** A call of a turn that is read. */
interface ReadCall extends CutOffCall {
  /** It was started, and running it again could be noticed. */
  isEffect: boolean;
  /** The event that started it, and the one that ended it, or its turn. */
  started: number;
  ended: number;
  result: ResultData | undefined;
}

/** Reads a journal from its first event on, and finds the calls that had an effect, as far as a fork at one of its events would not show it. */
export class CutOff {
  readonly #at: number;
  readonly #calls = new Map<string, ReadCall>();

  /** `at`: the last event that the fork has. */
  constructor(at: number) {
    this.#at = at;
  }

  /** Reads the next event. */
  read(event: StoredEvent): void {
    switch (event.type) {
      case 'model-replied':
        for (const { id, name, input } of event.toolCalls)
          this.#calls.set(id, { call: id, tool: name, input, result: undefined, ...NOT_STARTED });
        break;
      case 'tool-call-started': {
        const call = this.#calls.get(event.call);
        if (!call) break;
        call.isEffect = event.effect === 'once' || event.effect === 'idempotent';
        call.started = event.seq;
        break;
      }
      case 'tool-call-ended':
      case 'late-result-received': {
        const call = this.#calls.get(event.call);
        if (!call) break;
        call.result = event.result;
        if (!('open' in event && event.open)) call.ended = Math.min(call.ended, event.seq);
        break;
      }
      case 'turn-ended':
        // An end that could not read its turn leaves calls without ends of their own.
        for (const [id, call] of this.#calls) {
          call.ended = Math.min(call.ended, event.seq);
          if (!this.#isCutOff(call)) this.#calls.delete(id);
        }
    }
  }

  /** The calls that started behind the cut, or that had not ended there, in the order of their replies. */
  get calls(): readonly CutOffCall[] {
    return [...this.#calls.values()].filter((call) => this.#isCutOff(call));
  }

  #isCutOff({ isEffect, started, ended }: ReadCall): boolean {
    return isEffect && (started > this.#at || ended > this.#at);
  }
}

const NOT_STARTED = { isEffect: false, started: 0, ended: Number.POSITIVE_INFINITY };

/** The most characters that a model is shown of an input or a result of the part cut off. */
const MOST = 2_000;

/** What the model of a fork is shown of the calls that were made in the part cut off. */
export const toldOf = (calls: readonly CutOffCall[]): string =>
  `A later part of this conversation was cut off. These calls were made in it, and their effects remain:\n${calls
    .map(lineOf)
    .join('\n')}\nDo not repeat them unless the user asks for it.`;

const lineOf = ({ tool, input, result }: CutOffCall): string =>
  `- '${tool}' with the input ${shorten(input, MOST)}: ${
    result ? shownText(result, MOST) : 'its outcome is unknown.'
  }`;
