import { expectTypeOf } from 'vitest';
import type { ChatModel } from '../../src/index.ts';
import { showToolsChanges, signPrefix } from '../../src/model/entry.ts';

// A model has the functions as they are, and no flags.
const ask: ChatModel['ask'] = () => Promise.reject(new Error('Not asked.'));
expectTypeOf({ name: 'mine', showToolsChanges, signPrefix, ask }).toExtend<ChatModel>();
// @ts-expect-error It is the function, and no flag.
export const flagged: ChatModel = { name: 'mine', showToolsChanges: true, ask };
