import type { TestProject } from 'vitest/node';
import './provided.ts';
import { startServers } from './start-servers.ts';

/** Of the tests against real servers only: they run for as long as those do. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { urls, folder, stop } = await startServers();
  project.provide('realServers', { urls, folder });
  return stop;
}
