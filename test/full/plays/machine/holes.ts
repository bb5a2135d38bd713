import type { Mutation } from '../../../mutations.ts';

/** One place in the library, and its replacement. */
export type Change = Pick<Mutation, 'in' | 'text' | 'replacement'>;

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
    breaks: 'The events of a repeated append are stored twice if its response was lost.',
    changes: [
      {
        in: 'SessionLedger.append',
        text: 'if (before !== null) {',
        replacement: 'if (before !== null && epoch < 0) {',
      },
      { in: 'SessionLedger.append', text: "if (!isNext) return { status: 'gap' };", replacement: '' },
    ],
  },
  {
    name: 'fencing-off',
    breaks: 'An invocation that lost its lease writes to the journal at the same time as its successor.',
    changes: [
      { in: 'SessionLedger.append', text: "if (!holds) return { status: 'stale' };", replacement: '' },
      { in: 'SessionLedger.append', text: "if (!isNext) return { status: 'gap' };", replacement: '' },
    ],
  },
  {
    name: 'shown-early',
    breaks: 'A stream shows an event before it is stored.',
    changes: [
      {
        in: 'Outbox.#append',
        text: 'const sentAt = this.#options.now();',
        replacement:
          'const sentAt = this.#options.now(); this.#options.listener.stored(sent.map(({ event }) => ({ ...event, at: sentAt })), sentAt);',
      },
      {
        in: 'Outbox.#append',
        text: 'sent.map(({ event }) => ({ ...event, at })),',
        replacement: 'sent.map(({ event }) => ({ ...event, at })).slice(sent.length),',
      },
    ],
  },
  {
    name: 'snapshot-field',
    breaks: 'A snapshot omits the state of tools, so it is lost in the next turn.',
    changes: [{ in: 'toSnapshot', text: 'slices: [...memories],', replacement: 'slices: [],' }],
  },
  {
    name: 'snapshot-read',
    breaks: 'The values in `call.state` are stored in a snapshot, but not read from it.',
    changes: [{ in: 'parseSnapshot', text: 'callState: new Map(cells),', replacement: '' }],
  },
  {
    name: 'late-twice',
    breaks: 'A late result is journaled but stays in the inbox, so the next holder journals it again.',
    changes: [
      {
        in: 'HeldInbox.late',
        text: 'return await outbox.durable();',
        replacement: 'await outbox.durable();',
      },
      {
        in: 'createLateEvents',
        text: 'if (!turn || !isAwaited) return [];',
        replacement: 'if (!turn) return [];',
      },
    ],
  },
  {
    name: 'steer-again',
    breaks: 'Each holder accepts a steering message again.',
    changes: [{ in: 'HeldInbox.#take', text: 'outbox.read([message.id]);', replacement: '' }],
  },
  {
    name: 'alarm-unset',
    breaks: 'An alarm does not set the next one, so the turn of a dead holder is never taken over.',
    changes: [{ in: 'doDueWork', text: 'scheduleAlarm(scope);', replacement: '' }],
  },
  {
    name: 'queue-stuck',
    breaks: 'A queued message never starts.',
    changes: [
      { in: 'startNext', text: '|| !next) return;', replacement: '|| !next || storage.head() > 0) return;' },
    ],
  },
  {
    name: 'erase-half',
    breaks: 'An erased session still exists.',
    changes: [{ in: 'SqlSessionStorage.erase', text: 'void storage.deleteAll();', replacement: '' }],
  },
  {
    name: 'stream-gap',
    breaks: 'A reader whose connection to the object breaks misses the events in between.',
    changes: [
      {
        in: 'readAndFollow',
        text: 'next = page.next ?? Math.max(next, head + 1);',
        replacement: 'next = (page.next ?? Math.max(next, head + 1)) + (notices.count > 3 ? 1 : 0);',
      },
    ],
  },
];
