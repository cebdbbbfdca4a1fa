import { expect, test } from 'vitest'
import { serverVersion } from './reported-version.ts'

test.each([
  [
    { major: '1', minor: '20', gitVersion: 'v1.20.2' },
    { major: 1, minor: 20, gitVersion: 'v1.20.2' },
  ],
  [
    { major: '1', minor: '27+', gitVersion: 'v1.27.3-gke.100' },
    { major: 1, minor: 27, gitVersion: 'v1.27.3-gke.100' },
  ],
  [{}, { major: 0, minor: 0, gitVersion: '' }],
])('the version %j is read', async (document, version) => {
  expect(await serverVersion({ request: async () => document })).toEqual(version)
})
