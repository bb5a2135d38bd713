/** Builds with the library of another version, as edits of this one. */
import { EVENT_VERSION } from '../../doors/journal.ts';
import type { Build } from '../process/start-worker.ts';
import type { Edit } from '../process/with-edits.ts';

/** Events of a version that is not known yet, whatever they hold. */
const laterEvents: readonly Edit[] = [
  {
    from: `export const EVENT_VERSION = ${EVENT_VERSION};`,
    to: `export const EVENT_VERSION = ${EVENT_VERSION + 1};`,
  },
];

/** A type of events that is not known yet, under the version of now. */
const anotherType: readonly Edit[] = [
  {
    from: `  'turn-started': { message: true },`,
    to: `  'turn-started': { message: true }, 'turn-noted': {},`,
  },
  {
    from: `  'turn-yielded': nothingMore,`,
    to: `  'turn-yielded': nothingMore, 'turn-noted': nothingMore,`,
  },
  {
    from: '  session.inbox.takeIn(leased.inbox);',
    to: `  outbox.emit({ type: 'turn-noted', turn: turn.id }); session.inbox.takeIn(leased.inbox);`,
  },
];

/** This one. */
export const current: Build = {};

/** Writes events of this version, and a type among them that is new. */
export const withAnotherType: Build = { edits: anotherType };

/** Writes events of the next version, and that new type. */
export const later: Build = { edits: [...laterEvents, ...anotherType] };

/** Stamps its snapshots as another reducer does, and gives them a form that this one cannot read. */
export const earlierSnapshots: Build = {
  edits: [
    {
      from: 'export const REDUCER_VERSION = ',
      to: 'export const REDUCER_VERSION = -1 + ',
    },
    {
      from: '    cells: [...callState],',
      to: '    cells: Object.fromEntries(callState),',
    },
  ],
};

/** Writes events of the next version, and upgrades those of this one: visibly, for a test. */
export const upgrading: Build = {
  edits: [
    ...laterEvents,
    {
      from: '((event: OlderEvent) => OlderEvent) | undefined>> = {};',
      to: `((event: OlderEvent) => OlderEvent) | undefined>> = {
        1: (event) => event.type === 'turn-started' ? { ...event, message: event.message + ' (of old)' } : event,
      };`,
    },
  ],
};

const UPGRADES = 'const UPGRADES: readonly string[] = ';

const migrating = (sql: string): Build => ({
  edits: [{ from: `${UPGRADES}[];`, to: `${UPGRADES}[${JSON.stringify(sql)}];` }],
});

/** Has one migration more. */
export const laterMigration: Build = migrating('ALTER TABLE events ADD COLUMN note TEXT');

/** Has one that fails after it has begun. */
export const brokenMigration: Build = migrating(
  'ALTER TABLE events ADD COLUMN note TEXT; INSERT INTO nowhere VALUES (1)',
);

/** This one, and it tells of each alarm. */
export const tellingAlarms: Build = {
  edits: [
    {
      from: '  override alarm(): void {',
      to: "  override alarm(): void { console.log('alarm');",
    },
  ],
};
