/** The commands that list sessions, waiting questions and usage. */
import type { ListSessionsOptions, UsageOptions } from '../../client/index-client.ts';
import type { SessionStatus } from '../../worker/index-views.ts';
import { UsageError } from '../command.ts';
import { type CommandInput, createRemoteCommand, EXIT_OK, readList } from './remote-command.ts';
import { type Column, formatCount, formatDollars, formatTable, formatWhen, toJsonLine } from './terminal.ts';

/** The message if the app has no `sessionIndex()`. */
export const NO_INDEX_MESSAGE = 'this deployment has no index of sessions. See docs/index-of-sessions.md.';

const STATUSES: readonly SessionStatus[] = ['running', 'waiting', 'failed', 'idle'];

export type Row = Readonly<Record<string, unknown>>;

const readUsage = ({ usage }: Row): Row => Object(usage);
const USAGE_COLUMNS: readonly Column<Row>[] = [
  { name: 'TURNS', of: ({ turns }) => formatCount(turns), isNumber: true },
  { name: 'INPUT', of: (row) => formatCount(readUsage(row).inputTokens), isNumber: true },
  { name: 'OUTPUT', of: (row) => formatCount(readUsage(row).outputTokens), isNumber: true },
  { name: 'COST', of: (row) => formatDollars(readUsage(row).cost), isNumber: true },
];

export const PAGE_OPTIONS = {
  'limit NUMBER': 'the maximum number of entries, 1 to 100; defaults to 50',
  'cursor CURSOR': 'the next page: the cursor that the previous page printed',
};
const OWNER_OPTION = { 'owner OWNER': 'for operators: another owner, as id:NAME or tenant:NAME' };

export const sessions = createRemoteCommand({
  name: 'sessions',
  summary: 'lists the sessions of an agent',
  about: 'Lists the sessions of an agent, the latest first. The app needs sessionIndex().',
  options: {
    'agent NAME': 'the agent; not needed if there is only one',
    'status STATUS': `only sessions with this status: ${STATUSES.join(', ')}`,
    'since TIME':
      'only sessions with activity in the last 30m, 12h or 7d, or since a time such as 2026-11-30T09:00:00Z',
    ...OWNER_OPTION,
    ...PAGE_OPTIONS,
  },
  lacking: NO_INDEX_MESSAGE,
  async run(asked) {
    const { texts, deployment } = asked;
    const query: ListSessionsOptions = {
      ...parsePage(asked),
      status: parseStatus(texts.status),
      since: parseSince(texts.since),
      owner: texts.owner,
    };
    const answer = await deployment.index.sessions(await deployment.agent(), query);
    const columns: readonly Column<Row>[] = [
      { name: 'SESSION', of: ({ session }) => session },
      { name: 'STATUS', of: ({ status }) => status },
      { name: 'TITLE', of: ({ title }) => title, isLong: true },
      { name: 'LAST ACTIVITY', of: ({ lastActivity }) => formatWhen(lastActivity) },
      ...USAGE_COLUMNS,
    ];
    return printPage(asked, { answer, rows: readList(answer, 'sessions'), columns, none: 'No sessions.' });
  },
});

export const usage = createRemoteCommand({
  name: 'usage',
  summary: 'adds up turns, tokens and cost',
  about: 'Adds up turns, tokens and cost. Days are in UTC. The app needs sessionIndex().',
  options: {
    'by WHAT': 'day, agent or model; defaults to day',
    'from DAY': 'the first day, such as 2026-11-01',
    'to DAY': 'the last day',
    ...OWNER_OPTION,
  },
  lacking: NO_INDEX_MESSAGE,
  async run(asked) {
    const { by = 'day', from, to, owner } = asked.texts;
    if (!isGrouping(by)) throw new UsageError('--by must be day, agent or model');
    const answer = await asked.deployment.index.usage({ by, from, to, owner });
    const total = { of: 'total', ...answer.total };
    const columns: readonly Column<Row>[] = [
      { name: by.toUpperCase(), of: ({ of }) => of ?? '(unknown)', isLong: true },
      ...USAGE_COLUMNS,
    ];
    const rows = readList(answer, 'usage');
    return printPage(asked, {
      answer,
      rows: rows.length > 0 ? [...rows, total] : [],
      columns,
      none: 'No usage.',
    });
  },
});

/** Prints a page as JSON or as a table. */
export function printPage<One>(
  { isJson, out, err, width }: CommandInput,
  page: {
    readonly answer: object;
    readonly rows: readonly One[];
    readonly columns: readonly Column<One>[];
    readonly none: string;
  },
): number {
  if (isJson) {
    out(toJsonLine(page.answer));
    return EXIT_OK;
  }
  const next: unknown = Object(page.answer).next;
  if (page.rows.length > 0) out(formatTable(page.columns, page.rows, width));
  else if (typeof next !== 'string') err(page.none);
  if (typeof next === 'string') err(`There may be more: --cursor ${toJsonLine(next)}`);
  return EXIT_OK;
}

export function parsePage({
  texts: { limit, cursor },
}: CommandInput): Pick<ListSessionsOptions, 'limit' | 'cursor'> {
  if (limit !== undefined && !/^([1-9]\d?|100)$/.test(limit))
    throw new UsageError('--limit must be a whole number from 1 to 100');
  return { limit: limit === undefined ? undefined : Number(limit), cursor };
}

function parseStatus(status: string | undefined): SessionStatus | undefined {
  const known = STATUSES.find((one) => one === status);
  if (status !== undefined && known === undefined)
    throw new UsageError(`--status must be one of ${STATUSES.join(', ')}`);
  return known;
}

const isGrouping = (by: string): by is NonNullable<UsageOptions['by']> =>
  ['day', 'agent', 'model'].includes(by);

const MS_BY_UNIT: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function parseSince(since: string | undefined): string | number | undefined {
  const [, ago, unit = ''] = /^(\d{1,6})([mhd])$/.exec(since ?? '') ?? [];
  return ago === undefined ? since : Date.now() - Number(ago) * (MS_BY_UNIT[unit] ?? 0);
}
