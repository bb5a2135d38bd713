import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import {
  type AnyTool,
  type ArtifactType,
  artifact,
  defineDomainType,
  defineTool,
  error,
  type Json,
  type Tool,
  text,
} from '../../../../../src/index.ts';
import type { BlackboardEntry } from '../../../../../src/kinds/entry.ts';
import {
  type Asset,
  assetsOf,
  blackboardSink,
  compositeSink,
  conditionalReplan,
  decorate,
  type ListSink,
  type LoopMemo,
  listSink,
  loopMemo,
  oneShotPerLoop,
  publishToBlackboard,
  replanAlways,
  replanAndAdd,
  replanning,
  replanWhen,
  type Sink,
  type SinkCall,
  sinkArtifacts,
  type ToolObservation,
  trackAssets,
  unwrapAs,
  withEventPublication,
  withObservability,
} from '../../../../../src/modules/decorators/entry.ts';

const Document = defineDomainType({ name: 'Document', schema: v.object({ title: v.string() }) });
const NamedType: ArtifactType = { name: 'Named' };

const search = defineTool({
  name: 'search',
  description: 'Searches.',
  input: v.object({ query: v.string() }),
  run: ({ query }) => [{ score: query.length, document: { title: query } }],
});
type SearchHit = { score: number; document: { title: string } };
const words = defineTool({ name: 'words', description: 'Says.', run: () => 'words' });
const perhapsTool = defineTool({
  name: 'perhaps',
  description: 'May find.',
  run: (): { n: number } | string | undefined => undefined,
});
const orders = new Map<number, { total: number }>();
const order = defineTool({
  name: 'order',
  description: 'Finds an order.',
  input: v.object({ id: v.number() }),
  run: ({ id }) => orders.get(id) ?? error('There is none.'),
});
const orderOrWords = defineTool({
  name: 'order_or_words',
  description: 'Finds an order.',
  run: () => orders.get(1) ?? text('There is none.'),
});
const onlyWords = defineTool({ name: 'only_words', description: 'Says.', run: () => text('words') });
const madeTool = defineTool({ name: 'made', description: 'Makes.', run: () => artifact('', { n: 1 }) });
declare const erasedTool: AnyTool;

// Every decorator keeps the type of its tool.
type SearchTool = Tool<'search', { query: string }, SearchHit[]>;
expectTypeOf(decorate(search, { serial: 'one' })).toEqualTypeOf<SearchTool>();
expectTypeOf(oneShotPerLoop(search, 'Go on.')).toEqualTypeOf<SearchTool>();
expectTypeOf(sinkArtifacts(search, listSink())).toEqualTypeOf<SearchTool>();
expectTypeOf(publishToBlackboard(search)).toEqualTypeOf<SearchTool>();
expectTypeOf(trackAssets(search)).toEqualTypeOf<SearchTool>();
expectTypeOf(trackAssets([search, words])).toEqualTypeOf<
  readonly [SearchTool, Tool<'words', Record<string, never>, string>]
>();
expectTypeOf(replanning(search, 'New facts.')).toEqualTypeOf<SearchTool>();
expectTypeOf(replanAlways(search)).toEqualTypeOf<SearchTool>();
expectTypeOf(replanWhen(search, () => true)).toEqualTypeOf<SearchTool>();
expectTypeOf(replanAndAdd(search, () => 1)).toEqualTypeOf<SearchTool>();
expectTypeOf(conditionalReplan(search, () => null)).toEqualTypeOf<SearchTool>();
expectTypeOf(withEventPublication(search, () => {})).toEqualTypeOf<SearchTool>();
expectTypeOf(withObservability(search)).toEqualTypeOf<SearchTool>();
expectTypeOf(oneShotPerLoop(erasedTool, 'Go on.')).toEqualTypeOf<AnyTool>();

// Without a type, a sink receives the return value of `run`, item by item.
sinkArtifacts(search, (hit, call) => {
  expectTypeOf(hit).toEqualTypeOf<SearchHit>();
  expectTypeOf(call).toEqualTypeOf<SinkCall>();
});
sinkArtifacts(perhapsTool, (found) => expectTypeOf(found).toEqualTypeOf<{ n: number }>());
// An error or a text has no artifact, and does not change the type.
sinkArtifacts(order, (found) => expectTypeOf(found).toEqualTypeOf<{ total: number }>());
sinkArtifacts(orderOrWords, (found) => expectTypeOf(found).toEqualTypeOf<{ total: number }>());
sinkArtifacts(onlyWords, (found) => expectTypeOf(found).toEqualTypeOf<Json>());
replanWhen(order, ({ total }) => total > 100);
// A ready-made result, a text or an erased tool leaves the artifact type unknown.
sinkArtifacts(madeTool, (found) => expectTypeOf(found).toEqualTypeOf<Json>());
sinkArtifacts(words, (found) => expectTypeOf(found).toEqualTypeOf<Json>());
sinkArtifacts(erasedTool, (found) => expectTypeOf(found).toEqualTypeOf<Json>());

// A domain type determines the type of the value. A bare name leaves it unknown.
sinkArtifacts(erasedTool, (found) => expectTypeOf(found).toEqualTypeOf<{ title: string }>(), {
  type: Document,
});
sinkArtifacts(search, (found) => expectTypeOf(found).toEqualTypeOf<Json>(), { type: NamedType });
sinkArtifacts(search, async () => {}, {
  type: Document,
  filter: (document) => {
    expectTypeOf(document).toEqualTypeOf<{ title: string }>();
    return true;
  },
});

// A transform receives the artifact; its sink receives the output of the transform.
sinkArtifacts(search, listSink<string>(), { transform: (hit) => hit.document.title });
sinkArtifacts(search, (title: string) => console.log(title), {
  filter: (hit) => hit.score > 1,
  transform: (hit) => {
    expectTypeOf(hit).toEqualTypeOf<SearchHit>();
    return hit.document.title;
  },
  into: Document,
});
// @ts-expect-error the sink accepts numbers, but the transform returns titles
sinkArtifacts(search, listSink<number>(), { transform: (hit) => hit.document.title });
// @ts-expect-error the sink accepts numbers, but the artifacts are hits
sinkArtifacts(search, listSink<number>());
// @ts-expect-error `into` names the type that a transform returns
sinkArtifacts(search, listSink(), { into: Document });

expectTypeOf(listSink<string>()).toEqualTypeOf<ListSink<string>>();
expectTypeOf(listSink<string>().items()).toEqualTypeOf<readonly string[]>();
expectTypeOf(listSink([1]).items()).toEqualTypeOf<readonly number[]>();
expectTypeOf(blackboardSink({ strict: true, name: undefined })).toEqualTypeOf<Sink>();
expectTypeOf(compositeSink<string>(listSink<string>(), blackboardSink())).toEqualTypeOf<Sink<string>>();
// @ts-expect-error one of the sinks accepts only numbers
compositeSink<string>(listSink<number>());

publishToBlackboard(search, {
  name: 'document',
  filter: (hit) => hit.score > 0.5,
  transform: (hit) => hit.document,
  into: Document,
});
publishToBlackboard(erasedTool, { type: Document, filter: ({ title }) => title !== '' });
// @ts-expect-error a hit has no title
publishToBlackboard(search, { filter: (hit) => hit.title !== '' });
publishToBlackboard(search, {
  type: undefined,
  filter: undefined,
  name: undefined,
  transform: undefined,
  into: undefined,
});
replanWhen(search, (hits) => hits.length > 0, { type: undefined });

trackAssets(search, { filter: (hit) => hit.score > 1 });
trackAssets([search, erasedTool], { type: Document, filter: ({ title }) => title !== '' });
declare const entries: readonly BlackboardEntry[];
expectTypeOf(assetsOf(entries)).toEqualTypeOf<readonly Asset<Json>[]>();
expectTypeOf(assetsOf(entries, Document)).toEqualTypeOf<readonly Asset<{ title: string }>[]>();
// @ts-expect-error a title is a string
trackAssets(erasedTool, { type: Document, filter: ({ title }) => title > 3 });

// Replanning receives the whole artifact.
replanWhen(search, (hits) => {
  expectTypeOf(hits).toEqualTypeOf<SearchHit[]>();
  return hits.length === 0;
});
replanWhen(erasedTool, ({ title }) => title === '', { type: Document });
replanAndAdd(search, (hits) => hits[0]?.document);
replanAndAdd(erasedTool, ({ title }) => title, { type: Document });
conditionalReplan(search, async ({ artifact: found, artifactAs, result, tool }) => {
  expectTypeOf(found).toEqualTypeOf<Json | undefined>();
  expectTypeOf(artifactAs(Document)).toEqualTypeOf<{ title: string } | undefined>();
  expectTypeOf(artifactAs(NamedType)).toEqualTypeOf<Json | undefined>();
  expectTypeOf(tool).toEqualTypeOf<SearchTool>();
  return { reason: result.text(), updater: (_, call) => call.blackboard.add('known') };
});
// @ts-expect-error a decision needs a reason
conditionalReplan(search, () => ({}));
// @ts-expect-error the predicate must return a boolean
replanWhen(search, () => 'yes');

withEventPublication(search, async (event) => {
  if (event.type === 'request') return;
  expectTypeOf(event.ms).toEqualTypeOf<number>();
  if (event.outcome.type === 'failure') expectTypeOf(event.outcome.error).toEqualTypeOf<unknown>();
});
withObservability(search, (observation) => {
  expectTypeOf(observation).toEqualTypeOf<ToolObservation>();
  if (observation.status === 'error') expectTypeOf(observation.errorType).toEqualTypeOf<string>();
});
// @ts-expect-error a request has no running time
withEventPublication(search, (event) => console.log(event.ms));

expectTypeOf(loopMemo('rules')).toEqualTypeOf<LoopMemo>();
// @ts-expect-error the advice is required: it states what the model should do instead
oneShotPerLoop(search);

// `unwrapAs` finds a tool by a type guard.
const isSearch = (tool: AnyTool): tool is SearchTool => tool === search;
expectTypeOf(unwrapAs(erasedTool, isSearch)).toEqualTypeOf<SearchTool | undefined>();
