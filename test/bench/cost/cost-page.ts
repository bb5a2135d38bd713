/** The page of the docs on cost, written from counts and prices. */
import { SHAPES, type Shape } from '../count-turns.ts';
import { asTable } from '../statistics.ts';
import type { KeptCounts, KeptTurn } from './kept-counts.ts';
import { ASSUMED, billOf, PRICES } from './prices.ts';

/** The turns of the tables, and what they are called there. */
const TURNS: readonly (readonly [Shape, string])[] = [
  ['text only', 'an answer without calls'],
  ['ten reads', 'ten calls of a `read` tool, one a reply'],
  ['ten `once` calls', 'ten calls of a `once` tool, one a reply'],
];

const billOfTurn = ({ shape, counts }: KeptTurn) => billOf(counts, SHAPES[shape].calls + 1);

const dollars = (amount: number): string => `$${amount.toFixed(2)}`;

/** A million turns by what they do, and by how long the model takes for a reply. */
function totals({ turns }: KeptCounts): string {
  const seconds = [...new Set(turns.map((turn) => turn.seconds))];
  const head = ['a million turns', ...seconds.map((one) => `model of ${one} s`)];
  const rows = TURNS.map(([shape, words]) => {
    const ofShape = turns.filter((turn) => turn.shape === shape);
    return [words, ...ofShape.map((turn) => dollars(billOfTurn(turn).total))];
  });
  return asTable([head, ...rows]);
}

/** What each total is made of. */
function parts({ turns }: KeptCounts): string {
  const head = ['turn', 'model', 'rows written', 'object requests', 'rows', 'requests', 'duration', 'Worker'];
  const rows = TURNS.flatMap(([shape, words]) =>
    turns
      .filter((turn) => turn.shape === shape)
      .map((turn) => {
        const { rowsWritten, alarmsSet, requests, messages } = turn.counts;
        const bill = billOfTurn(turn);
        const amounts = [bill.rows, bill.requests, bill.duration, bill.worker].map(dollars);
        const billed = requests + messages / PRICES.messagesARequest;
        return [words, `${turn.seconds} s`, String(rowsWritten + alarmsSet), String(billed), ...amounts];
      }),
  );
  return asTable([head, ...rows]);
}

function firstMessage({ turns }: KeptCounts): string {
  const first = turns.find(({ shape, seconds }) => shape === 'first message' && seconds === 0);
  const next = turns.find(({ shape, seconds }) => shape === 'text only' && seconds === 0);
  if (!first || !next) throw new Error('The first message of a session, or the next, was not counted.');
  const rowsOf = ({ counts }: KeptTurn): number => counts.rowsWritten + counts.alarmsSet;
  const more = dollars(billOfTurn(first).total - billOfTurn(next).total);
  return `The first message of a session writes ${rowsOf(first)} rows, and a later one ${rowsOf(next)}: a million sessions cost ${more} more.`;
}

/** Returns the page. */
export const costPage = (kept: KeptCounts): string => `# What a turn costs on Cloudflare

Rows that a session's object writes are most of the bill. Prices are those of the paid plan beyond what it includes, as of
${PRICES.read} ([Workers](${PRICES.sources[0]}),
[Durable Objects](${PRICES.sources[1]})).

${totals(kept)}

${firstMessage(kept)}

## How it is computed

The counts are measured: a Worker and its objects count what they do while the turn runs, and until the last alarm after it.
\`npm run cost\` measures them again and writes this page. A reply that takes long costs a little more, because the Worker opens a
line to the session, and the session's alarm looks after it. A turn whose \`read\` calls are faster than its appends stores several of them at once.

${parts(kept)}

| what is billed | price |
| --- | --- |
| a million rows written; an alarm that is set is one | ${dollars(PRICES.rowsWritten)} |
| a million rows read | $${PRICES.rowsRead} |
| a million requests to objects: calls, WebSockets, alarms; ${PRICES.messagesARequest} messages over a WebSocket are one | ${dollars(PRICES.objectRequests)} |
| a million GB-s of objects that are awake, ${PRICES.gigabytes * 1_000} MB each | ${dollars(PRICES.gigabyteSeconds)} |
| a million requests to the Worker | ${dollars(PRICES.workerRequests)} |
| a million ms of CPU of the Worker | ${dollars(PRICES.cpuMs)} |

Two figures depend on the machine and are assumed, on the high side: an object is awake for ${ASSUMED.awakePerRequest} ms a request, and the Worker uses
${ASSUMED.cpuPerTurn} ms of CPU a turn and ${ASSUMED.cpuPerCall} ms a model call. An object is not billed while it waits for a model: its WebSockets hibernate.

## What is not included

- The model. It is usually far more than all of this: a turn that reads 10,000 tokens at $1 a million costs $10,000 a million turns.
- Storage: $0.20 a month for each GB of sessions that are kept. [Erase or retain them](compaction.md#erasing-and-retention) for less.
- Clients that follow a session: a request to the object each, and its reads.
- Long sessions. Each turn reads the conversation, and the CPU for it grows with its length. [A summary](compaction.md) ends that.
- Work of your tools, of files, queues, and outgoing webhooks, and turns that another invocation takes over.
- What the plan includes each month: $5, with the first million object requests and the first 50 million rows written.
`;
