import { getOrigin } from '../../tool/decorate.ts';
import { isJsonObject, type Json } from '../../tool/json.ts';
import { createWarningEntry } from '../../tool/log.ts';
import type { ParsedInput } from '../../tool/problem-lines.ts';
import type { AnyTool, CallRemarks, LoopView, RemarkedCall } from '../../tool/tool.ts';
import { createFact } from '../../tool/tool-memory.ts';
import { listArtifactItems } from '../../tool/tool-result.ts';
import { collectKnownTypes, type KnownTypes, type ViewedChain } from './chain.ts';
import type { DiscoveredType, TypeWithTools } from './chained.ts';
import {
  BINDING_MEMORY,
  type Binding,
  type ChainingFact,
  type FoundObject,
  getCurrentBindings,
  listBindingsAt,
} from './memory.ts';
import { nameFoundTool, nameFoundTools } from './object-names.ts';

/** A call that returned objects of a discovered type. */
interface ReturningCall {
  readonly call: RemarkedCall;
  readonly objects: readonly ReturnedObject[];
}

/** A returned object. `at` is its index in the list, or -1 if the call returned a single object. */
interface ReturnedObject {
  readonly at: number;
  readonly value: Json;
}

type FoundFact = Extract<ChainingFact, { readonly as: 'many' }>;

/** The fact to journal for the call, and the remark for the model. */
interface FoundMemory {
  readonly fact?: FoundFact | undefined;
  readonly remark?: string | undefined;
}

/** The maximum number of names in a remark. */
const MAX_LISTED_NAMES = 20;

/** Returns the fact and remark for a type's objects in a call's result. */
function rememberFound(
  chained: ViewedChain,
  discovered: DiscoveredType,
  { call, objects: returned }: ReturningCall,
): FoundMemory {
  const { type, max, hint } = discovered;
  const { objects, left, deep, problems } = searchObjects(chained, discovered, { call, objects: returned });
  for (const [problem, count] of problems) {
    const times = count > 1 ? ` (${count} objects)` : '';
    chained.view.log(createWarningEntry(`a result of '${call.tool.name}' adds no tools: ${problem}${times}`));
  }
  const tooDeep = deep.flatMap((id) => listSkippedNames(chained, discovered, id));
  if (deep.length > 0) {
    const what = `objects beyond the depth of ${discovered.maxDepth}: ${tooDeep.length} tools are left out`;
    chained.view.log(createWarningEntry(`a result of '${call.tool.name}' has ${type.name} ${what}`));
  }
  const below = deep.length > 0 ? [formatDepthRemark(discovered, tooDeep)] : [];
  if (objects.length === 0) return { remark: below[0] };
  const fact: FoundFact = { as: 'many', key: chained.key, type: type.name, max, objects };
  const { added, dropped, before, after } = compareNames(chained, { fact, call });
  const leftOut = [
    ...new Set([...dropped, ...left.flatMap((id) => listSkippedNames(chained, discovered, id))]),
  ];
  const grew = findGrowthWarning(discovered, call, { leftOut, before, after });
  if (grew !== undefined) chained.view.log(createWarningEntry(grew));
  const remarks = [
    ...(hint && added.length > 0 ? [`_availableOperations: ${added.join(', ')}`] : []),
    ...(leftOut.length > 0 ? [formatTooManyRemark(discovered, leftOut)] : []),
    ...below,
  ];
  return { fact, remark: remarks.length > 0 ? remarks.join('\n\n') : undefined };
}

/** Returns how this call changes the offered names. Other calls of its batch are not visible yet. */
function compareNames(
  viewed: ViewedChain,
  { fact, call }: { readonly fact: FoundFact; readonly call: RemarkedCall },
): NameChanges {
  const { key, view } = viewed;
  const { turn, frame, path } = view;
  const bindings = view.recall(BINDING_MEMORY);
  const place = { turn, frame, path, call: call.id, result: call.result, at: 0 };
  const next = BINDING_MEMORY.apply?.(bindings, fact, place) ?? bindings;
  const before = nameFoundTools(viewed, getCurrentBindings({ key, view }));
  const after = nameFoundTools(viewed, listBindingsAt(next, { path, frame, key }));
  return {
    added: [...after].flatMap(([name, { binding }]) => (binding.call === call.id ? name : [])),
    dropped: [...before.keys()].filter((name) => !after.has(name)),
    before: before.size,
    after: after.size,
  };
}

/**
 * The changes of a call to the offered names of discovered objects, and the total number of names before and
 * after the call.
 */
interface NameChanges {
  readonly added: readonly string[];
  readonly dropped: readonly string[];
  readonly before: number;
  readonly after: number;
}

/** The number of offered tools of discovered objects above which a warning is logged. */
const TOOL_WARNING_THRESHOLD = 64;

/**
 * Returns a warning for the log if a call adds too many tools. Returns `undefined` if the limit was exceeded
 * before.
 */
function findGrowthWarning(
  { type, max }: DiscoveredType,
  { tool }: RemarkedCall,
  { leftOut, before, after }: Pick<NameChanges, 'before' | 'after'> & { readonly leftOut: readonly string[] },
): string | undefined {
  if (leftOut.length > 0)
    return `a result of '${tool.name}' brings more tools of ${type.name} objects than the ${max} that are offered: ${leftOut.length} are left out`;
  if (before > TOOL_WARNING_THRESHOLD || after <= TOOL_WARNING_THRESHOLD) return undefined;
  return `with a result of '${tool.name}' ${after} tools of discovered objects are offered: models choose worse among so many`;
}

/** Returns the names that the tools of a skipped object would have. */
const listSkippedNames = (
  { chain }: ViewedChain,
  discovered: DiscoveredType,
  id: string,
): readonly string[] =>
  discovered.type.objects.declared.map(({ name: tool }) =>
    nameFoundTool(chain.many, discovered, { id, tool }),
  );

/** Returns a remark that lists existing tools that are not offered. */
const formatTooManyRemark = ({ type, max }: DiscoveredType, names: readonly string[]): string =>
  `Only the newest ${max} tools of ${type.name} objects are offered. Not offered: ${joinNames(names)}.`;

const formatDepthRemark = ({ type, maxDepth }: DiscoveredType, names: readonly string[]): string =>
  `Tools of ${type.name} objects are offered to a depth of ${maxDepth}, as objects lead to others. Not offered: ${joinNames(names)}.`;

function joinNames(names: readonly string[]): string {
  const more = names.length > MAX_LISTED_NAMES ? ` and ${names.length - MAX_LISTED_NAMES} more` : '';
  return names.slice(0, MAX_LISTED_NAMES).join(', ') + more;
}

/** Returns the facts to journal about a call's artifacts, and the remarks for the model. */
export function rememberArtifact(chained: ViewedChain, call: RemarkedCall): CallRemarks | undefined {
  const { result } = call;
  if (result.type !== 'artifact') return undefined;
  const { chain, view } = chained;
  const types = collectKnownTypes(chain, view);
  const isUntyped = chain.any && result.artifactType === undefined && !result.artifactTypes;
  const artifactType = isUntyped ? findTypeByShape(types, result.value) : result.artifactType;
  const items = listArtifactItems({ ...result, ...(artifactType !== undefined && { artifactType }) });
  const isList = Array.isArray(result.value);
  const found = [...chain.many.values()].flatMap((many) => {
    const objects = items.flatMap(({ type, value }, at) =>
      type === many.type.name ? [{ at: isList ? at : -1, value }] : [],
    );
    return objects.length > 0 ? rememberFound(chained, many, { call, objects }) : [];
  });
  const facts = [
    ...(artifactType === undefined ? [] : rememberCurrent(chained, call, { type: artifactType, types })),
    ...found.flatMap(({ fact }) => fact ?? []),
  ];
  const remarks = found.flatMap(({ remark }) => remark ?? []);
  return {
    facts: facts.map((fact) => createFact(BINDING_MEMORY, fact)),
    remark: remarks.length > 0 ? remarks.join('\n\n') : undefined,
  };
}

/** Returns the fact that binds an object that a call returned on its own. */
function rememberCurrent(
  { chain, key, view }: ViewedChain,
  call: RemarkedCall,
  { type, types }: { readonly type: string; readonly types: KnownTypes },
): readonly ChainingFact[] {
  const { result } = call;
  if (result.type !== 'artifact') return [];
  const { value } = result;
  const one = chain.ones.get(type);
  if (one)
    return hasTools(one.type, value, { call, view }) && one.accepts(value, view)
      ? [{ as: 'one', key, type }]
      : [];
  // A type of `chainFrom` or `discover` has its own slot.
  const known = chain.any && !chain.many.has(type) ? types.get(type) : undefined;
  if (!known?.objects || !hasTools({ ...known, objects: known.objects }, value, { call, view })) return [];
  return [{ as: 'any', key, type }];
}

/** Returns the first type that the value matches. Types without tools are skipped. */
function findTypeByShape(types: KnownTypes, value: Json): string | undefined {
  if (!isJsonObject(value)) return undefined;
  return [...types.values()].find(({ objects, parse }) => objects && parse(value).ok)?.name;
}

/** Returns `true` if the value is a single object of its type and has tools. */
function hasTools(
  { objects }: TypeWithTools,
  value: Json,
  { call, view }: { readonly call: RemarkedCall; readonly view: LoopView },
): boolean {
  if (!isJsonObject(value)) return false;
  const tools = objects.toolsOf(value);
  if (!tools.ok)
    view.log(
      createWarningEntry(`the result of '${call.tool.name}' adds no tools: ${tools.problems.join(' ')}`),
    );
  return tools.ok && tools.value.length > 0;
}

interface SearchResult {
  /** The objects whose tools are offered, in source order, each id once. */
  readonly objects: readonly FoundObject[];
  /** The ids of objects whose tools exceed the maximum. */
  readonly left: readonly string[];
  /** The ids of objects beyond the depth of their type. */
  readonly deep: readonly string[];
  /**
   * The problems of other objects, with their counts. Those objects are skipped, and the result stays valid.
   */
  readonly problems: ReadonlyMap<string, number>;
}

interface Candidate {
  readonly at: number;
  readonly id: string;
  readonly value: Json;
}

type ProblemReporter = (problem: string) => void;

/** Checks each object. If not all objects fit, selects the last ones. */
function searchObjects(
  { key, view }: ViewedChain,
  discovered: DiscoveredType,
  { call, objects: returned }: ReturningCall,
): SearchResult {
  const problems = new Map<string, number>();
  const reportProblem: ProblemReporter = (problem) => problems.set(problem, (problems.get(problem) ?? 0) + 1);
  const bound = getCurrentBindings({ key, view });
  const below = computeReturnedDepth(bound, call.tool);
  // An object that is returned again at a greater depth keeps its depth.
  const placed = collectCandidates(discovered, { returned, view }, reportProblem).map(
    (one): PlacedCandidate => ({
      ...one,
      depth: Math.min(below, findDepth(bound, discovered.type.name, one.id) ?? below),
    }),
  );
  const deep = placed.filter(({ depth }) => depth > discovered.maxDepth).map(({ id }) => id);
  const near = placed.filter(({ depth }) => depth <= discovered.maxDepth);
  return { ...selectFitting(discovered, near, reportProblem), deep: deep.toReversed(), problems };
}

/** A candidate with its depth in a chain of objects. */
type PlacedCandidate = Candidate & { readonly depth: number };

/** Returns the depth of an object that is already discovered. */
function findDepth(
  bound: readonly Binding[],
  type: Json | undefined,
  id: Json | undefined,
): number | undefined {
  const one = bound.find((binding) => binding.as === 'many' && binding.type === type && binding.id === id);
  return one?.as === 'many' ? (one.depth ?? 1) : undefined;
}

/**
 * Returns the depth of objects that a tool returns. The tool can itself belong to an object, or be inside an
 * object's unfolding tool.
 */
function computeReturnedDepth(bound: readonly Binding[], tool: AnyTool): number {
  const depths = [tool, ...(getOrigin(tool)?.by ?? [])].flatMap(
    ({ metadata: { domainType, instanceId } }) => findDepth(bound, domainType, instanceId) ?? [],
  );
  return Math.max(0, ...depths) + 1;
}

/** Returns the candidates from last to first. */
function collectCandidates(
  { type, accepts }: DiscoveredType,
  { returned, view }: { readonly returned: readonly ReturnedObject[]; readonly view: LoopView },
  report: ProblemReporter,
): readonly Candidate[] {
  const byId = new Map<string, Candidate>();
  for (const element of returned.toReversed()) {
    const id = element.value === null ? undefined : readOrReport(type.objects.idOf(element.value), report);
    if (id === undefined || !accepts(element.value, view)) continue;
    if (byId.has(id)) report(`a later object of domain type '${type.name}' has the same id`);
    else byId.set(id, { ...element, id });
  }
  return [...byId.values()];
}

/**
 * Selects objects until the next one's tools would exceed the maximum. The first object always fits, since
 * its tools are cut to the maximum. Does not create the tools of later objects.
 */
function selectFitting(
  { type, max }: DiscoveredType,
  candidates: readonly PlacedCandidate[],
  report: ProblemReporter,
): Pick<SearchResult, 'objects' | 'left'> {
  const objects: FoundObject[] = [];
  const left: string[] = [];
  let room = max;
  for (const { at, id, value, depth } of candidates) {
    const tools = room > 0 ? readOrReport(type.objects.toolsOf(value), report) : undefined;
    const names = tools?.map(({ name }) => name).slice(0, max) ?? [];
    if (room === 0 || names.length > room) {
      left.push(id);
      room = 0;
    } else if (names.length > 0) {
      objects.push({ at, id, tools: names, ...(depth > 1 && { depth }) });
      room -= names.length;
    }
  }
  return { objects: objects.toReversed(), left: left.toReversed() };
}

function readOrReport<Value>(read: ParsedInput<Value>, report: ProblemReporter): Value | undefined {
  if (read.ok) return read.value;
  report(read.problems.join(' '));
  return undefined;
}
