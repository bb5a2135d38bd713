import type { TestProject } from 'vitest/node';
import './provided.ts';
import { startServers } from './start-servers.ts';

/** Starts the real servers for the tests, and stops them when the tests have ended. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { urls, folder, stop } = await startServers();
  project.provide('realServers', { urls, folder });
  return stop;
}
