import { describe, expect, it } from 'vitest';
import { describePlaces } from '../../../prompt-cache/measure/measure-session.ts';
import {
  formatDepartures,
  formatLastLine,
  formatTable,
  listProblems,
  type Row,
} from '../../../prompt-cache/measure/report.ts';

const share = { least: 0.5, median: 0.925, total: 0.9 };

const createRow = (scenario: string, wire: string, more: Partial<Row> = {}): Row => ({
  ...{ scenario, wire, isPromised: false, requests: 20, findings: [], bytes: share, tokens: share },
  ...more,
});

const createFinding = (request: number, cause = 'a summary took the place of the 4 oldest messages') => ({
  ...{ request, path: 'agent', place: 'tools: 1 changed', cause },
});

describe('the report of prompt cache measurements', () => {
  it('includes a table of the measurements', () => {
    const findings = [
      createFinding(3),
      { ...createFinding(3), place: 'system text: 1 changed' },
      createFinding(7),
    ];
    expect(
      formatTable([createRow('plain', 'chat'), createRow('workspace', 'gemini', { findings })]).split('\n'),
    ).toEqual([
      'scenario   wire    requests  departed  bytes kept                 tokens kept',
      '                                         least   median    total    least   median    total',
      'plain      chat    20        0          50.0 %   92.5 %   90.0 %   50.0 %   92.5 %   90.0 %',
      'workspace  gemini  20        2          50.0 %   92.5 %   90.0 %   50.0 %   92.5 %   90.0 %',
    ]);
  });

  it('groups equal differences of several requests and servers in one line', () => {
    const both = [createFinding(2), createFinding(5)];
    const rows = [
      createRow('a', 'chat', { findings: both }),
      createRow('a', 'gemini', { findings: [...both, createFinding(9, 'another turn began: 1 went')] }),
      createRow('b', 'chat', { findings: [createFinding(2)] }),
      createRow('b', 'gemini'),
    ];
    expect(formatDepartures(rows)).toEqual([
      'a, requests 2, 5 of agent: tools: 1 changed; a summary took the place of the 4 oldest messages [every wire]',
      'a, request 9 of agent: tools: 1 changed; another turn began: 1 went [gemini]',
      'b, request 2 of agent: tools: 1 changed; a summary took the place of the 4 oldest messages [chat]',
    ]);
  });

  it('passes if no promised part differs and each other difference has a cause', () => {
    const rows = [
      createRow('plain', 'chat', { isPromised: true }),
      createRow('workspace', 'chat', { findings: [createFinding(3)] }),
    ];
    expect(listProblems(rows)).toEqual([]);
    expect(formatLastLine(rows)).toBe(
      'prompt-cache: plain agents and state machines: 0 departures in 1 sessions over 1 wires; ' +
        'every other departure has its cause; PASS',
    );
  });

  it('fails if a promised part differs even with a cause, or if a difference has no cause', () => {
    const rows = [
      createRow('plain', 'chat', { isPromised: true, findings: [createFinding(3)] }),
      createRow('workspace', 'chat', { findings: [createFinding(3), createFinding(4, 'unexplained')] }),
    ];
    expect(listProblems(rows)).toEqual([
      "'plain' departs 1 times over chat",
      "'workspace' departs over chat in request 4, unexplained: tools: 1 changed",
    ]);
    expect(formatLastLine(rows)).toBe(
      'prompt-cache: plain agents and state machines: 1 departures in 1 sessions over 1 wires; 2 problems; FAIL',
    );
  });

  it('states the number of differing tools and the indexes of differing messages', () => {
    const createDeparture = (
      part: 'tools' | 'system' | 'messages',
      what: 'changed' | 'gone',
      place: number,
    ) => ({
      ...{ part, what, at: place, key: 'x' },
    });
    const departures = [
      createDeparture('tools', 'changed', 0),
      createDeparture('tools', 'gone', 1),
      createDeparture('tools', 'gone', 2),
      createDeparture('system', 'changed', 0),
      createDeparture('messages', 'gone', 4),
      createDeparture('messages', 'gone', 6),
    ];
    expect(describePlaces(departures)).toBe(
      'tools: 1 changed, 2 gone; system text: 1 changed; messages: 5, 7 gone',
    );
  });
});
