import { reset } from 'cloudflare:test';
import { afterEach } from 'vitest';
import { sessionContract } from '../session-contract.ts';
import { makeObjectHarness } from './object-harness.ts';

// Otherwise the open turns of all facts before would go on being handed over, some hundred times a second.
afterEach(() => reset());

sessionContract('the session object', makeObjectHarness, 3);
