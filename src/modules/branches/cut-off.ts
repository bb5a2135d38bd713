/** Finds the effects in the part of a journal that a fork leaves out. */
import type { StoredEvent } from '../../journal/events.ts';
import { shorten } from '../../tool/json.ts';
import { type ResultData, toModelText } from '../../tool/tool-result.ts';

/** A call after the cut that could have had an effect. */
export interface CutOffCall {
  readonly call: string;
  readonly tool: string;
  /** The input as the model wrote it. */
  readonly input: string;
  /** `undefined` if the outcome is unknown. */
  readonly result: ResultData | undefined;
}

/** A call whose end is missing from the fork. */
interface JournaledCall extends CutOffCall {
  /** `true` if the call started and its effect is `once` or `idempotent`. */
  isEffect: boolean;
  result: ResultData | undefined;
}

/** The id prefix of messages that describe the cut-off part to a fork. Turn ids never start with it. */
export const FORK_MESSAGE_PREFIX = 'fork-';

/**
 * Reads a journal from its first event, and finds the calls with effects that a fork at one of its events
 * would not show.
 */
export class CutOff {
  readonly #at: number;
  readonly #calls = new Map<string, JournaledCall>();
  /** Descriptions of earlier cut-off parts that the session's own model saw and the fork does not have. */
  readonly #told: string[] = [];

  /** `at` is the sequence number of the fork's last event. */
  constructor(at: number) {
    this.#at = at;
  }

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
        if (!isShown && event.as.startsWith(FORK_MESSAGE_PREFIX)) this.#told.push(event.message);
        break;
      case 'turn-ended':
        // If a turn ended as unreadable, its calls have no end events.
        for (const [id, { isEffect }] of calls) if (isShown || !isEffect) calls.delete(id);
    }
  }

  /** The calls that started after the cut or were still open at it, in the order of their replies. */
  get calls(): readonly CutOffCall[] {
    return [...this.#calls.values()].filter(({ isEffect }) => isEffect);
  }

  /**
   * The text about these calls and those of earlier cuts for the fork's model. Empty if there are no such
   * calls.
   */
  get told(): string {
    const { calls } = this;
    return [...this.#told, ...(calls.length > 0 ? [describeCutOff(calls)] : [])].join('\n\n');
  }
}

/** The maximum number of characters of an input or a result that the model sees. */
const MAX_SHOWN = 2_000;

/** Returns the text about the cut-off calls for the fork's model. */
const describeCutOff = (calls: readonly CutOffCall[]): string =>
  `A later part of this conversation was cut off. These calls were made in it, and their effects remain:\n${calls
    .map(formatCall)
    .join('\n')}\nDo not repeat them unless the user asks for it.`;

const formatCall = ({ tool, input, result }: CutOffCall): string =>
  `- '${tool}' with the input ${shorten(input, MAX_SHOWN)}: ${
    result ? toModelText(result, MAX_SHOWN) : 'its outcome is unknown.'
  }`;
