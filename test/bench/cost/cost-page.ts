/** The docs page on cost, generated from counts and prices. */
import { SHAPES, type Shape } from '../count-turns.ts';
import { asTable } from '../statistics.ts';
import type { KeptCounts, KeptTurn } from './kept-counts.ts';
import { ASSUMPTIONS, computeBill, PRICES } from './prices.ts';

/** The kinds of turns in the tables, with their descriptions on the page. */
const TURNS: readonly (readonly [Shape, string])[] = [
  ['text only', 'an answer without calls'],
  ['ten reads', 'ten calls of a `read` tool, one a reply'],
  ['ten `once` calls', 'ten calls of a `once` tool, one a reply'],
];

const computeTurnBill = ({ shape, counts }: KeptTurn) => computeBill(counts, SHAPES[shape].calls + 1);

const formatDollars = (amount: number): string => `$${amount.toFixed(2)}`;

/** Returns the table with the cost of a million turns, by kind of turn and by the duration of a model reply. */
function formatTotalsTable({ turns }: KeptCounts): string {
  const seconds = [...new Set(turns.map((turn) => turn.seconds))];
  const head = ['A million turns', ...seconds.map((one) => `model of ${one} s`)];
  const rows = TURNS.map(([shape, words]) => {
    const ofShape = turns.filter((turn) => turn.shape === shape);
    return [words, ...ofShape.map((turn) => formatDollars(computeTurnBill(turn).total))];
  });
  return asTable([head, ...rows]);
}

/** Returns the table with the billed items of each total. */
function formatPartsTable({ turns }: KeptCounts): string {
  const head = ['Turn', 'Model', 'Rows written', 'Object requests', 'Rows', 'Requests', 'Duration', 'Worker'];
  const rows = TURNS.flatMap(([shape, words]) =>
    turns
      .filter((turn) => turn.shape === shape)
      .map((turn) => {
        const { rowsWritten, alarmsSet, requests, messages } = turn.counts;
        const bill = computeTurnBill(turn);
        const amounts = [bill.rows, bill.requests, bill.duration, bill.worker].map(formatDollars);
        const billed = requests + messages / PRICES.messagesARequest;
        return [words, `${turn.seconds} s`, String(rowsWritten + alarmsSet), String(billed), ...amounts];
      }),
  );
  return asTable([head, ...rows]);
}

function formatFirstMessage({ turns }: KeptCounts): string {
  const first = turns.find(({ shape, seconds }) => shape === 'first message' && seconds === 0);
  const next = turns.find(({ shape, seconds }) => shape === 'text only' && seconds === 0);
  if (!first || !next)
    throw new Error("counts.json has no turn 'first message' or no turn 'text only'. Run `npm run cost`.");
  const countRows = ({ counts }: KeptTurn): number => counts.rowsWritten + counts.alarmsSet;
  const more = formatDollars(computeTurnBill(first).total - computeTurnBill(next).total);
  return `The first message of a session writes ${countRows(first)} rows, and a later one ${countRows(next)}: a million sessions cost ${more} more.`;
}

/** Returns the page. */
export const formatCostPage = (kept: KeptCounts): string => `# What a turn costs on Cloudflare

Estimate the Cloudflare bill for a million turns. Most of it is for rows written to Durable Objects. Prices are those of the
paid plan beyond its included amounts, as of ${PRICES.read} ([Workers](${PRICES.sources[0]}),
[Durable Objects](${PRICES.sources[1]})).

${formatTotalsTable(kept)}

${formatFirstMessage(kept)}

## How the cost is computed

The counts are measured until the last alarm of a turn. Slow replies cost slightly more, because the Worker connects to the
session and the session sets an alarm. If \`read\` calls are fast, one write stores several of them.

${formatPartsTable(kept)}

| Unit | Price |
| --- | --- |
| a million rows written, or alarms set | ${formatDollars(PRICES.rowsWritten)} |
| a million rows read | $${PRICES.rowsRead} |
| a million requests to objects (${PRICES.messagesARequest} WebSocket messages count as one) | ${formatDollars(PRICES.objectRequests)} |
| a million GB-s of active objects, ${PRICES.gigabytes * 1_000} MB each | ${formatDollars(PRICES.gigabyteSeconds)} |
| a million requests to the Worker | ${formatDollars(PRICES.workerRequests)} |
| a million ms of Worker CPU | ${formatDollars(PRICES.cpuMs)} |

Two figures are assumed, on the high side: an object is active for ${ASSUMPTIONS.awakePerRequest} ms a request, and the Worker uses ${ASSUMPTIONS.cpuPerTurn} ms of CPU a turn
and ${ASSUMPTIONS.cpuPerCall} ms a model call. Objects hibernate while they wait for a model, which is not billed.

## What is not included

- The model, which usually costs far more: at $1 a million tokens, a million turns of 10,000 tokens cost $10,000.
- Storage: $0.20 a month for each GB. [Erase or retain sessions](compaction.md#erasing-and-retention) to save it.
- Clients that follow a session: one request to the object each, and the rows it reads.
- Long sessions: each turn reads the conversation. [A summary](compaction.md) shortens it.
- Your tools, files, queues and outgoing webhooks, and turns that move to another invocation.
- The monthly $5, which includes a million object requests and 50 million rows written.

## Read next

- [Operate a Worker in production](production.md)
- [Limits of an owner](owner-limits.md)
- [When not to use Holdfast](when-not-to-use-it.md)
`;
