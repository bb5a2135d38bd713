import type { Mutation } from '../../../mutations.ts';

/** One place in the library, and its replacement. */
export type Change = Pick<Mutation, 'in' | 'text' | 'becomes'>;

/**
 * A defect that plays must find. It has an effect only if messages overlap or machines die, so unit tests may
 * miss it.
 */
export interface Hole {
  readonly name: string;
  /** The effect of the defect for users. */
  readonly breaks: string;
  readonly changes: readonly Change[];
}

export const HOLES: readonly Hole[] = [
  {
    name: 'append-again',
    breaks: 'An append whose answer was lost is sent again, and its events are stored twice.',
    changes: [
      {
        in: 'SessionLedger.append',
        text: 'if (before !== null) {',
        becomes: 'if (before !== null && epoch < 0) {',
      },
      { in: 'SessionLedger.append', text: "if (!isNext) return { status: 'gap' };", becomes: '' },
    ],
  },
  {
    name: 'fencing-off',
    breaks: 'An invocation that was given up for dead writes to the journal beside its successor.',
    changes: [
      { in: 'SessionLedger.append', text: "if (!holds) return { status: 'stale' };", becomes: '' },
      { in: 'SessionLedger.append', text: "if (!isNext) return { status: 'gap' };", becomes: '' },
    ],
  },
  {
    name: 'shown-early',
    breaks: 'A stream shows an event before it is stored.',
    changes: [
      {
        in: 'Outbox.#append',
        text: 'const sentAt = this.#options.now();',
        becomes:
          'const sentAt = this.#options.now(); this.#options.listener.stored(sent.map(({ event }) => ({ ...event, at: sentAt })), sentAt);',
      },
      {
        in: 'Outbox.#append',
        text: 'sent.map(({ event }) => ({ ...event, at })),',
        becomes: 'sent.map(({ event }) => ({ ...event, at })).slice(sent.length),',
      },
    ],
  },
  {
    name: 'snapshot-field',
    breaks: 'A snapshot leaves out what tools remember: they have forgotten it in the next turn.',
    changes: [{ in: 'toSnapshot', text: 'slices: [...memories],', becomes: 'slices: [],' }],
  },
  {
    name: 'snapshot-read',
    breaks: 'What tools keep in `call.state` is stored in a snapshot, and not read from it.',
    changes: [{ in: 'fromSnapshot', text: 'callState: new Map(cells),', becomes: '' }],
  },
  {
    name: 'late-twice',
    breaks:
      'The late result of a call is journaled, and left for the next holder too, who journals it again.',
    changes: [
      { in: 'HeldInbox.late', text: 'return await outbox.durable();', becomes: 'await outbox.durable();' },
      { in: 'lateEvents', text: 'if (!turn || !isAwaited) return [];', becomes: 'if (!turn) return [];' },
    ],
  },
  {
    name: 'steer-again',
    breaks: 'A message that steers a turn is taken in again by each holder.',
    changes: [{ in: 'HeldInbox.#take', text: 'outbox.read([message.id]);', becomes: '' }],
  },
  {
    name: 'alarm-unset',
    breaks: 'An alarm does not set the next one: nobody takes a turn over whose holder has died.',
    changes: [{ in: 'doDueWork', text: 'scheduleAlarm(scope);', becomes: '' }],
  },
  {
    name: 'queue-stuck',
    breaks: 'A message that waits for the turn before it is never started.',
    changes: [
      { in: 'startNext', text: '|| !next) return;', becomes: '|| !next || storage.head() > 0) return;' },
    ],
  },
  {
    name: 'erase-half',
    breaks: 'A session that was erased is still there.',
    changes: [{ in: 'SqlSessionStorage.erase', text: 'void storage.deleteAll();', becomes: '' }],
  },
  {
    name: 'stream-gap',
    breaks: 'A reader whose line to the object breaks is not shown what happened meanwhile.',
    changes: [
      {
        in: 'readAndFollow',
        text: 'next = page.next ?? Math.max(next, head + 1);',
        becomes: 'next = (page.next ?? Math.max(next, head + 1)) + (notices.count > 3 ? 1 : 0);',
      },
    ],
  },
];
