import type { LoopView, NotedCall, Notes } from '../tools/injection.ts';
import { isJsonObject, type Json } from '../tools/json.ts';
import { factOf } from '../tools/tool-memory.ts';
import { BINDINGS, type ChainingFact } from './bindings.ts';
import type { TypeWithTools } from './chain-from.ts';
import type { KnownTypes } from './known-types.ts';
import { noteFound } from './note-found.ts';
import type { KeyedChain } from './offer-bound.ts';
import { knownTypes } from './read-chaining.ts';

/** What a loop remembers of a call's artifact, and what the model is told of it. */
export function noteArtifact(keyed: KeyedChain, call: NotedCall, view: LoopView): Notes | undefined {
  const { chain, key } = keyed;
  const { result } = call;
  if (result.type !== 'artifact') return undefined;
  const types = knownTypes(chain, view);
  const { value, artifactType: type = chain.any ? typeByShape(types, result.value) : undefined } = result;
  if (type === undefined) return undefined;
  const facts: ChainingFact[] = [];
  const one = chain.ones.get(type);
  if (one && hasTools(one.type, value, call) && one.accepts(value, view))
    facts.push({ as: 'one', key, type });
  const many = chain.many.get(type);
  const found = many && noteFound(keyed, many, { call, value }, view);
  if (found?.fact) facts.push(found.fact);
  // What is chained by its type has its own place (CHN-12).
  const known = chain.any && !one && !many ? types.get(type) : undefined;
  if (known?.objects && hasTools({ ...known, objects: known.objects }, value, call))
    facts.push({ as: 'any', key, type });
  return { facts: facts.map((fact) => factOf(BINDINGS, fact)), remark: found?.remark };
}

/** Of types without tools nothing would be chained, whatever they fit. */
function typeByShape(types: KnownTypes, value: Json): string | undefined {
  if (!isJsonObject(value)) return undefined;
  return [...types.values()].find(({ objects, parse }) => objects && parse(value).ok)?.name;
}

/** Whether this is a single object of its type (CHN-07) that brings tools with it (CHN-11). */
function hasTools({ objects }: TypeWithTools, value: Json, { tool }: NotedCall): boolean {
  if (!isJsonObject(value)) return false;
  const tools = objects.toolsOf(value);
  if (!tools.ok)
    console.warn(`holdfast: the result of '${tool.name}' brings no tools: ${tools.problems.join(' ')}`);
  return tools.ok && tools.value.length > 0;
}
