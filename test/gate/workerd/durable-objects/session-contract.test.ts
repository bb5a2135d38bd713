import { testSessionContract } from '../../../fixtures/session-contract.ts';
import { makeObjectHarness } from './object-harness.ts';

testSessionContract('the session object', makeObjectHarness);
