/**
 * The client that the conformance suite runs for each scenario: `node client.ts WORKER SERVER`. The Worker runs
 * a turn whose agent uses the scenario's server. Questions of the server are accepted with their defaults.
 * Exits with 1 if the turn does not complete or an allowed call fails, because some scenarios do not check
 * this.
 */
import { randomUUID } from 'node:crypto';
import { openSession, readEventStream } from '../../../../../src/examples/demo/client.ts';
import { SUCCESS_TEXT } from './run-suite.ts';

const [worker = '', server = ''] = process.argv.slice(2);
const { MCP_CONFORMANCE_SCENARIO: scenario = '', MCP_CONFORMANCE_CONTEXT: given = '' } = process.env;
const id = randomUUID();
const session = `${worker}/agents/caller/sessions/${id}`;

const post = (path: string, body: object, headers: Readonly<Record<string, string>>): Promise<Response> =>
  fetch(session + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

/** The tool calls that the scenario requires. The message lists them for the model. */
const { toolCalls = [] } = given === '' ? {} : JSON.parse(given);
const wishText = toolCalls.length > 0 ? JSON.stringify({ toolCalls }) : 'Call every tool.';
const message = { message: wishText, context: { scenario, server, given } };
/** Scenarios whose servers have no tools or refuse every client. */
const SCENARIOS_WITHOUT_CALLS = new Set([
  'initialize',
  'request-metadata',
  'json-schema-ref-no-deref',
  'auth/resource-mismatch',
  'auth/scope-retry-limit',
  'auth/metadata-issuer-mismatch',
  'auth/iss-supported-missing',
  'auth/iss-wrong-issuer',
  'auth/iss-unexpected',
  'auth/iss-normalized',
]);

let outcome = 'none';
let answered = 0;
let seen = 0;
for await (const { event, data } of readEventStream(
  await post('/messages', message, { accept: 'text/event-stream' }),
)) {
  console.log(event, data);
  const told = JSON.parse(data);
  seen = told.seq ?? seen;
  if (event === 'tool-call-suspended') await approve(told.call);
  if (event === 'tool-call-ended' && told.result.type !== 'error') answered += 1;
  if (event === 'answer') outcome = told.outcome;
}
// The stream of a suspended turn has ended. Another invocation resumes the turn.
if (outcome === 'none') {
  const later = (await openSession(worker, id, 'caller').turnEnded(seen)).filter(({ seq }) => seq > seen);
  for (const event of later) console.log(event.type, JSON.stringify(event));
  outcome = later.find((event) => event.type === 'turn-ended')?.outcome ?? outcome;
  answered += later.filter(
    (event) => event.type === 'tool-call-ended' && event.result.type !== 'error',
  ).length;
}
const isRight = outcome === 'completed' && answered > 0 !== SCENARIOS_WITHOUT_CALLS.has(scenario);
if (isRight) console.log(SUCCESS_TEXT);
else console.error(`Scenario '${scenario}': the turn is ${outcome}, and ${answered} calls were answered.`);
process.exitCode = isRight ? 0 : 1;

/** Approves a call. The answer of the turn arrives on the open stream. */
async function approve(call: string): Promise<void> {
  const { status } = await post(`/approvals/${call}`, { decision: 'approve' }, { prefer: 'respond-async' });
  if (status !== 202) throw new Error(`The approval returned ${status}, not 202.`);
}
