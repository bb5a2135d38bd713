import * as v from 'valibot';
import { defineAgent } from '../../index.ts';
import { defineSubagent } from '../../kinds/entry.ts';
import { findOrder } from './shop.ts';

export const researcher = defineAgent({
  name: 'researcher',
  description: 'Finds things out about orders.',
  instructions: 'Find out what you are asked, and answer in one sentence.',
  tools: [findOrder],
});

export const desk = defineAgent({
  name: 'desk',
  description: 'Answers customers.',
  instructions: 'Ask the researcher before you answer.',
  tools: [defineSubagent({ agent: researcher, input: v.object({ question: v.string() }) })],
});
