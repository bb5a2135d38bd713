import type { TestProject } from 'vitest/node';
import './provided.ts';
import { startServers } from './start-servers.ts';

/** The setup of the tests with real servers. The servers run until the tests end. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { urls, folder, stop } = await startServers();
  project.provide('realServers', { urls, folder });
  return stop;
}
