import { type Agent, type AnyTool, defineAgent } from '../../index.ts';
import { defineUnfolding } from '../../kinds/entry.ts';
import { AREAS, COLLECTIONS } from './areas.ts';
import type { Collection } from './collection.ts';
import { createCollectionTools } from './collection-tools.ts';

/**
 * Makes an unfolding tool, such as `tasks`, which opens into `add_task`, `list_tasks` and so on. Its
 * description lists their verbs.
 */
function toTool(collection: Collection): AnyTool {
  const { many, prefix } = collection;
  const tools = createCollectionTools(collection, COLLECTIONS);
  const verbs = tools.map(({ name }) => name.split('_')[0]);
  return defineUnfolding({
    name: many,
    description: `${many.slice(0, 1).toUpperCase()}${many.slice(1)}: ${verbs.join(', ')}.`,
    tools,
    childToolUsageNotes: `Ids look like ${prefix}-1.`,
  });
}

/**
 * A project's workspace with far more tools than a model should read at once. Each area is an unfolding tool
 * that opens into its collections, and a collection opens into its tools.
 */
export const workspace: Agent<'workspace'> = defineAgent({
  name: 'workspace',
  description: 'Keeps the files, plans, dates, notes, people and money of a project.',
  instructions:
    "You keep a project's workspace. Open the area that a request is about, then the collection in it, and use what is " +
    'there. Look a thing up before you change it, and change nothing that was not asked for.',
  tools: AREAS.map(({ name, description, collections }) =>
    defineUnfolding({ name, description, tools: collections.map(toTool) }),
  ),
});
