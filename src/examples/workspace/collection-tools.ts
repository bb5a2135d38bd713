import * as v from 'valibot';
import { type AnyTool, defineTool, error, type ToolResult } from '../../index.ts';
import type { CallState } from '../../kinds/entry.ts';
import type { Collection, Fields, Value } from './collection.ts';
import { getIdField, type Item, openShelf } from './shelf.ts';

/** The maximum number of items in a list. */
const MAX_LISTED = 50;

interface CallScope {
  readonly collection: Collection;
  /** All collections of the workspace, in which references are looked up. */
  readonly others: readonly Collection[];
  readonly state: CallState;
}

type Values = Readonly<Record<string, Value | undefined>>;
type Answer = Item | readonly Item[] | string | ToolResult;

/**
 * The actions of every collection, by tool name. `{one}` and `{many}` are replaced by the collection's
 * singular and plural.
 */
const TOOL_TEMPLATES: readonly {
  readonly name: string;
  readonly description: string;
  readonly input: (collection: Collection) => Fields;
  readonly run: (values: Values, desk: CallScope) => Answer;
}[] = [
  { name: 'add_{one}', description: 'Add a {one}.', input: ({ fields }) => fields, run: add },
  { name: 'list_{many}', description: 'List the {many}, the newest first.', input: () => ({}), run: list },
  {
    name: 'find_{many}',
    description: 'Find {many} by words in them.',
    input: () => ({ query: v.string() }),
    run: find,
  },
  { name: 'read_{one}', description: 'Read a {one}.', input: createIdField, run: read },
  {
    name: 'update_{one}',
    description: 'Update a {one}: what is not given stays.',
    input: (collection) => ({ ...createIdField(collection), ...toOptionalFields(collection.fields) }),
    run: update,
  },
  { name: 'remove_{one}', description: 'Remove a {one} for good.', input: createIdField, run: remove },
];

/** Returns the tools of one collection: the common tools, and one for each of its moves. */
export function createCollectionTools(
  collection: Collection,
  others: readonly Collection[],
): readonly AnyTool[] {
  const { one, many } = collection;
  const article = /^[aeiou]/.test(one) ? 'an' : 'a';
  const fillTemplate = (text: string): string =>
    text.replaceAll('a {one}', `${article} ${one}`).replaceAll('{one}', one).replaceAll('{many}', many);
  const moves = Object.entries(collection.moves).map(([verb, sets]) => ({
    name: `${verb}_{one}`,
    description: `Mark a {one}: ${Object.entries(sets).map(([field, value]) => `${field} ${value}`)}.`,
    input: createIdField,
    run: (values: Values, desk: CallScope) => update({ ...values, ...sets }, desk),
  }));
  return [...TOOL_TEMPLATES, ...moves].map(({ name, description, input, run }) =>
    defineTool({
      name: fillTemplate(name),
      description: fillTemplate(description),
      // The end of the call journals its changes, so an interrupted call has no effect and can run again.
      effect: 'read',
      // Calls of one reply run in sequence, so they see each other's changes and never use an id twice.
      serial: 'workspace',
      input: v.object(input(collection)),
      run: (values, { state }) => run(values, { collection, others, state }),
    }),
  );
}

function createIdField(collection: Collection): Fields {
  return { [getIdField(collection)]: v.pipe(v.string(), v.description(`Such as ${collection.prefix}-1`)) };
}

const toOptionalFields = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, v.optional(schema)]));

function add(values: Values, desk: CallScope): Answer {
  const { collection, state } = desk;
  return (
    findReferenceProblem(values, desk) ??
    openShelf(state, collection).add(withoutUndefined({ ...values, ...collection.starts }))
  );
}

function list(_: Values, { collection, state }: CallScope): Answer {
  return listItems(collection, openShelf(state, collection).all()) ?? `There are no ${collection.many}.`;
}

/** Lists the items that contain any of the words, the best match first. */
function find({ query }: Values, { collection, state }: CallScope): Answer {
  const words =
    String(query)
      .toLowerCase()
      .match(/[\p{L}\p{N}-]{3,}/gu) ?? [];
  const countMatches = (item: Item): number => {
    const said = Object.values(item).join(' ').toLowerCase();
    return words.filter((word) => said.includes(word)).length;
  };
  const found = openShelf(state, collection)
    .all()
    .filter((item) => countMatches(item) > 0)
    .toSorted((one, other) => countMatches(one) - countMatches(other));
  return listItems(collection, found) ?? `No ${collection.one} holds any of these words.`;
}

function read(values: Values, { collection, state }: CallScope): Answer {
  const id = String(values[getIdField(collection)]);
  return openShelf(state, collection).get(id) ?? createMissingItemError(collection, id);
}

function update(values: Values, desk: CallScope): Answer {
  const { collection, state } = desk;
  const shelf = openShelf(state, collection);
  const id = String(values[getIdField(collection)]);
  const known = shelf.get(id);
  if (!known) return createMissingItemError(collection, id);
  if (Object.keys(withoutUndefined(values)).length === 1) return error('Nothing to change was given.');
  return findReferenceProblem(values, desk) ?? shelf.put({ ...known, ...withoutUndefined(values) });
}

function remove(values: Values, { collection, others, state }: CallScope): Answer {
  const id = String(values[getIdField(collection)]);
  const shelf = openShelf(state, collection);
  if (!shelf.get(id)) return createMissingItemError(collection, id);
  const users = others.flatMap((other) =>
    Object.entries(other.refersTo).flatMap(([field, many]) =>
      many === collection.many
        ? openShelf(state, other)
            .all()
            .filter((item) => item[field] === id)
            .map((item) => item[getIdField(other)])
        : [],
    ),
  );
  if (users.length > 0)
    return error(`${id} is still used by ${users.slice(0, 10).join(', ')}. Nothing was removed.`);
  shelf.remove(id);
  return `${id} is removed.`;
}

/** Returns the problem with a reference to another item, if any. */
function findReferenceProblem(
  values: Values,
  { collection, others, state }: CallScope,
): ToolResult | undefined {
  for (const [field, many] of Object.entries(collection.refersTo)) {
    const id = values[field];
    const other = others.find((one) => one.many === many);
    if (id !== undefined && other && !openShelf(state, other).get(String(id)))
      return createMissingItemError(other, String(id));
  }
  return undefined;
}

const createMissingItemError = ({ one, many }: Collection, id: string): ToolResult =>
  error(`There is no ${one} ${id.slice(0, 40)}. Use list_${many} or find_${many} to see which there are.`);

/**
 * Returns ids, titles and the fields that moves change, the last item first. The read tool returns all
 * fields.
 */
function listItems(collection: Collection, items: readonly Item[]): readonly Item[] | undefined {
  const shown = [getIdField(collection), 'title', ...Object.keys(collection.starts)];
  const newest = items.toReversed().slice(0, MAX_LISTED);
  if (newest.length === 0) return undefined;
  return newest.map((item) => Object.fromEntries(shown.map((field) => [field, item[field] ?? ''])));
}

/** Removes undefined values. */
const withoutUndefined = (values: Values): Item =>
  Object.fromEntries(
    Object.entries(values).flatMap(([field, value]) => (value === undefined ? [] : [[field, value]])),
  );
