import { expect, test } from 'vitest'
import { readableShortages } from './readable-shortages.ts'

test.each([
  ['requests.cpu: 3500m of 3 free; 2nd of 2', 'requests.cpu: 3.5 cores (3 cores free); 2nd of 2'],
  ['requests.cpu: 3 of 500m free', 'requests.cpu: 3 cores (0.5 cores free)'],
  [
    'waits for room: limits.memory: 4Gi of 512Mi free, pods: 2 of 0 free; 1st of 1',
    'waits for room: limits.memory: 4 GiB (512 MiB free), pods: 2 (0 free); 1st of 1',
  ],
  ['requests.cpu: 9 of 4 in the pool; 1st of 2', 'requests.cpu: 9 cores (4 cores in the pool); 1st of 2'],
  ['pods: 2 of none in the pool', 'pods: 2 (none in the pool)'],
  ['pool web to select the namespace', 'pool web to select the namespace'],
])('%s is shown as %s', (text, shown) => {
  expect(readableShortages(text)).toBe(shown)
})
