import type { EventType } from './events.ts';

/** What those who move events about know of a type, without folding it. */
interface EventTraits {
  /** The conversation is read from it. */
  readonly message?: true;
  /**
   * The turn has come further by it. `result`: a reply, or the end of a call, after which take-overs of the turn are counted
   * anew. `step`: less than that, but whoever stored it has not held the turn in vain.
   */
  readonly progress?: 'result' | 'step';
}

/** Every type that this code knows, as the compiler sees to: any other one was written by newer code. */
const EVENT_TYPES: Readonly<Record<EventType, EventTraits>> = {
  'session-opened': {},
  'turn-started': { message: true },
  'turn-resumed': {},
  'model-asked': {},
  'model-refused': {},
  'model-replied': { message: true, progress: 'result' },
  'tool-call-started': {},
  'tool-call-ended': { message: true, progress: 'result' },
  'tool-call-suspended': {},
  'tool-call-answered': { progress: 'step' },
  'message-sent': {},
  'frame-started': { progress: 'step' },
  'tools-listed': { progress: 'step' },
  'answer-rejected': { message: true },
  'turn-steered': { message: true },
  'late-result-received': { message: true },
  'conversation-compacted': { progress: 'step' },
  'summary-dropped': {},
  'conversation-shortened': { message: true, progress: 'step' },
  'cancel-requested': {},
  'turn-yielded': {},
  'turn-ended': {},
};

/** Whether this code can fold events of a type: of those that newer code wrote there may be others. */
export const isKnownType = (type: string): boolean => Object.hasOwn(EVENT_TYPES, type);

/** How much further a turn has come by an event of this type; `undefined` when it has not. */
export const progressBy = (type: EventType): EventTraits['progress'] => EVENT_TYPES[type].progress;

/** The types from which the conversation is read; with a snapshot, only these are read from before it. */
export const MESSAGE_TYPES: readonly string[] = Object.entries(EVENT_TYPES).flatMap(([type, { message }]) =>
  message ? type : [],
);
