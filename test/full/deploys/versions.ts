/** Builds with other versions of the library, defined as edits of the current version. */
import { EVENT_VERSION } from '../../doors/journal.ts';
import type { BuildOptions } from '../process/start-worker.ts';
import type { Edit } from '../process/with-edits.ts';

/** Writes events of an unknown later version. */
const laterEvents: readonly Edit[] = [
  {
    from: `export const EVENT_VERSION = ${EVENT_VERSION};`,
    to: `export const EVENT_VERSION = ${EVENT_VERSION + 1};`,
  },
];

/** Writes events of an unknown type, with the current version. */
const anotherType: readonly Edit[] = [
  {
    from: `  'turn-started': { message: true },`,
    to: `  'turn-started': { message: true }, 'turn-noted': {},`,
  },
  {
    from: `  'turn-yielded': foldNothing,`,
    to: `  'turn-yielded': foldNothing, 'turn-noted': foldNothing,`,
  },
  {
    from: '  session.inbox.takeIn(leased.inbox);',
    to: `  outbox.emit({ type: 'turn-noted', turn: turn.id }); session.inbox.takeIn(leased.inbox);`,
  },
];

/** The current version. */
export const currentBuild: BuildOptions = {};

/** Writes events of the current version, and one event of a new type. */
export const withAnotherType: BuildOptions = { edits: anotherType };

/** Writes events of the next version, and one event of a new type. */
export const laterBuild: BuildOptions = { edits: [...laterEvents, ...anotherType] };

/** Writes snapshots of another reducer version, in a format that the current one cannot read. */
export const earlierSnapshots: BuildOptions = {
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

/**
 * Writes events of the next version, and upgrades events of the current one. The upgrade changes their text so
 * that a test can see it.
 */
export const upgrading: BuildOptions = {
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

const createMigratingBuild = (sql: string): BuildOptions => ({
  edits: [{ from: `${UPGRADES}[];`, to: `${UPGRADES}[${JSON.stringify(sql)}];` }],
});

/** Adds one migration. */
export const laterMigration: BuildOptions = createMigratingBuild('ALTER TABLE events ADD COLUMN note TEXT');

/** Adds one migration that fails after its first statement. */
export const brokenMigration: BuildOptions = createMigratingBuild(
  'ALTER TABLE events ADD COLUMN note TEXT; INSERT INTO nowhere VALUES (1)',
);

/** The current version, with a log line for each alarm. */
export const tellingAlarms: BuildOptions = {
  edits: [
    {
      from: '  override alarm(): void {',
      to: "  override alarm(): void { console.log('alarm');",
    },
  ],
};
