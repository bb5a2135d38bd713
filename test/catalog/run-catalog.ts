/**
 * `npm run catalog` offers GitHub's whole API as tools, once as a flat list and once as a tree of unfolding
 * tools. In a separate turn for each of the 20 largest tags, a scripted model navigates to one of the deepest
 * leaves and calls it, through the real loop. Measures the JSON of the tool definitions in each model call.
 */
import { type Catalog, defineCatalog } from '../../src/examples/catalog/catalog.ts';
import { type AnyTool, defineAgent } from '../../src/index.ts';
import { createTestSession, type TestSession } from '../../src/testing/entry.ts';
import { countBytes } from './bytes-of.ts';
import { createFakeApi, type FakeApi, isFor } from './fake-api.ts';
import { findLeaves } from './find-leaves.ts';
import { measureOfferTimes } from './offer-times.ts';
import { openApiDocument, PACKAGE } from './openapi-document.ts';
import { createPilot, type Destination, type Pilot } from './pilot.ts';

const TAGS = 20;
/** The goal: the factor by which the definitions in a model call must be smaller than in the flat list. */
const GOAL = 20;

/** A turn that navigated to a leaf. */
interface Flight {
  readonly destination: Destination;
  readonly reached: boolean;
  /** The size of the tool definitions in each model call. */
  readonly bytes: readonly number[];
}

async function main(): Promise<boolean> {
  const fake = createFakeApi();
  const document = await openApiDocument();
  const began = performance.now();
  const catalog = defineCatalog(document, fake.api);
  describe(catalog, performance.now() - began);
  const destinations = await findLeaves(catalog, TAGS);
  const flat = await runTurns(
    catalog.leaves.map(({ tool }) => tool),
    destinations.slice(0, 1).map((destination) => ({ ...destination, way: [] })),
    fake,
  );
  const tree = await runTurns(catalog.tools, destinations, fake);
  for (const flight of tree) console.log(formatRow(flight));
  await printTimes(catalog, destinations);
  return judge(flat, tree);
}

/** Runs a turn for each target in one session. */
async function runTurns(
  tools: readonly AnyTool[],
  destinations: readonly Destination[],
  fake: FakeApi,
): Promise<readonly Flight[]> {
  const model = createPilot();
  const agent = defineAgent({
    name: 'catalog',
    description: "Uses GitHub's API.",
    instructions: 'Do what is asked.',
    tools,
  });
  const session = createTestSession(agent, { model });
  const flights: Flight[] = [];
  for (const destination of destinations) flights.push(await runFlight(session, model, destination, fake));
  return flights;
}

async function runFlight(
  session: TestSession,
  model: Pilot,
  destination: Destination,
  { requests }: FakeApi,
): Promise<Flight> {
  const [asked, sent] = [session.requests.length, requests.length];
  model.flyTo(destination);
  const { outcome, text } = await session.send(`Call ${destination.leaf.tool.name}.`);
  const [request, ...more] = requests.slice(sent);
  const called = request !== undefined && more.length === 0 && isFor(request, destination.leaf);
  return {
    destination,
    reached: called && outcome === 'completed' && text === 'Done.',
    bytes: session.requests.slice(asked).map(({ tools }) => countBytes(tools)),
  };
}

function describe({ tools, leaves }: Catalog, ms: number): void {
  const levels = leaves.map(({ way }) => way.length);
  const unfolding = new Set(leaves.flatMap(({ way }) => way)).size;
  console.log(
    `${PACKAGE}: ${formatCount(leaves.length)} operations of ${tools.length} tags behind ${unfolding} unfolding tools, ` +
      `${Math.min(...levels)} to ${Math.max(...levels)} deep, made in ${ms.toFixed(0)} ms\n`,
  );
}

function formatRow({ destination: { leaf }, reached, bytes }: Flight): string {
  const way = [...leaf.way, leaf.tool.name].join(' > ');
  const sizes = `${formatCount(computeMean(bytes)).padStart(7)} mean ${formatCount(Math.max(...bytes)).padStart(7)} max`;
  return `${reached ? 'reached    ' : 'NOT REACHED'} ${String(bytes.length).padStart(2)} calls ${sizes}  ${way}`;
}

async function printTimes(catalog: Catalog, destinations: readonly Destination[]): Promise<void> {
  const [deepest] = destinations.toSorted((one, other) => other.way.length - one.way.length);
  if (!deepest) return;
  const flat = catalog.leaves.map(({ tool }) => tool);
  const times = {
    flat: await measureOfferTimes(flat, { ...deepest, way: [] }),
    tree: await measureOfferTimes(catalog.tools, deepest),
  };
  console.log('');
  for (const [name, { first, again }] of Object.entries(times)) {
    console.log(
      `time to offer, ${name}: ${first.toFixed(3)} ms, ${again.toFixed(3)} ms when nothing has changed`,
    );
  }
}

/** Prints the results. Returns `true` if every leaf was reached within the goal. */
function judge(flat: readonly Flight[], tree: readonly Flight[]): boolean {
  const flatBytes = computeMean(flat.flatMap(({ bytes }) => bytes));
  const bytes = tree.flatMap((one) => one.bytes);
  const reached = tree.filter((one) => one.reached).length;
  const most = Math.max(...bytes);
  const computeTurnBytes = (flights: readonly Flight[]): number =>
    computeMean(flights.map((one) => sum(one.bytes)));
  const pass = reached === TAGS && flat.every((one) => one.reached) && flatBytes / computeMean(bytes) >= GOAL;
  console.log(`
bytes of tool definitions per model call, flat: ${formatCount(flatBytes)}
bytes of tool definitions per model call, tree: ${formatCount(computeMean(bytes))} mean, ${formatCount(most)} max, of ${bytes.length} calls
bytes of tool definitions per turn: ${formatCount(computeTurnBytes(flat))} flat (2 calls), ${formatCount(computeTurnBytes(tree))} tree (${(bytes.length / tree.length).toFixed(1)} calls)
catalog: ${reached} of ${TAGS} leaves reached; per call ${formatRatio(flatBytes, computeMean(bytes))} times fewer on average, ${formatRatio(flatBytes, most)} at worst, goal ${GOAL}; per turn ${formatRatio(computeTurnBytes(flat), computeTurnBytes(tree))}; ${pass ? 'PASS' : 'FAIL'}`);
  return pass;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
const computeMean = (numbers: readonly number[]): number => sum(numbers) / numbers.length;
const formatRatio = (more: number, less: number): string => (more / less).toFixed(0);
const formatCount = (number: number): string => Math.round(number).toLocaleString('en');

const hasPassed = await main().catch((error: unknown) => {
  console.error(error);
  return false;
});
process.exit(hasPassed ? 0 : 1);
