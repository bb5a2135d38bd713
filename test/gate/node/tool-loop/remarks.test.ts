import { describe, expect, it } from 'vitest';
import { artifact, defineAgent, error, text } from '../../../../src/index.ts';
import type { InjectionStrategy, RemarkedCall } from '../../../../src/kinds/entry.ts';
import { defineInjectionStrategy } from '../../../../src/kinds/entry.ts';
import { mapContent } from '../../../../src/modules/decorators/entry.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';
import { withRemark } from '../../../doors/loop.ts';
import { createToolResult, getModelText } from '../../../doors/tools.ts';
import { callTools, createReadingTool, getShownResults } from './scenes.ts';

const value = { id: 'c1' };
const artifactResult = createToolResult({ type: 'artifact', value });

describe('a remark on a result', () => {
  it('follows the text of the result', () => {
    expect(withRemark(text('Done.'), ['One.', 'Two.'])).toEqual(text('Done.\n\nOne.\n\nTwo.'));
    expect(withRemark(artifact('Found.', value), ['One.'])).toEqual(artifact('Found.\n\nOne.', value));
  });

  it('is stored separately from a JSON value, so that the value is stored only once', () => {
    const remarked = withRemark(artifactResult, ['One.', 'Two.']);
    expect({ ...remarked }).toEqual({ type: 'artifact', value, remark: 'One.\n\nTwo.' });
    expect(getModelText(remarked)).toBe('{"id":"c1"}\n\nOne.\n\nTwo.');
    expect(getModelText({ ...remarked })).toBe('{"id":"c1"}\n\nOne.\n\nTwo.');
    expect(getModelText(mapContent(remarked, (words) => `${words}!`))).toBe('{"id":"c1"}\n\nOne.\n\nTwo.!');
  });

  it('is omitted if the result is an error or the remark is empty', () => {
    const failed = error('No.');
    expect(withRemark(failed, ['One.'])).toBe(failed);
    expect(withRemark(artifactResult, [])).toBe(artifactResult);
  });
});

describe('remarkOn of a strategy', () => {
  it('receives the journaled result, without secrets', async () => {
    const noted: RemarkedCall[] = [];
    const strategy: InjectionStrategy = {
      name: 'notes',
      offer: (tools) => tools,
      remarkOn: (call) => {
        noted.push(call);
        return { remark: 'The key is hunter22.' };
      },
    };
    const agent = defineAgent({
      name: 'clerk',
      description: 'Helps.',
      instructions: 'Help.',
      tools: [createReadingTool('leak', ({ secrets }) => ({ key: secrets.require('KEY') }))],
      use: [defineInjectionStrategy(strategy)],
    });
    const replies = [callTools('leak'), 'Done.'];
    const session = createTestSession(agent, { replies, secrets: () => ({ KEY: 'hunter22' }) });
    await session.send('Go.');
    expect(noted.map(({ result }) => getModelText(result))).toEqual(['{"key":"[secret KEY]"}']);
    expect(getShownResults(session.requests[1])).toEqual([
      '{"key":"[secret KEY]"}\n\nThe key is [secret KEY].',
    ]);
    expect(JSON.stringify(await session.events())).not.toContain('hunter22');
  });
});
