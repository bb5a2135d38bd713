import { expectTypeOf } from 'vitest';
import type { ChatModel } from '../../src/index.ts';
import { showToolsChanges, signPrefix } from '../../src/model/entry.ts';

// A model can have these functions as members.
const ask: ChatModel['ask'] = () => Promise.reject(new Error('This model is never called.'));
expectTypeOf({ name: 'mine', showToolsChanges, signPrefix, ask }).toExtend<ChatModel>();
// @ts-expect-error The member is the function, not a flag.
export const flaggedModel: ChatModel = { name: 'mine', showToolsChanges: true, ask };
